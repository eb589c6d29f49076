import type { IncomingHttpHeaders } from 'node:http'

export const SESSION_COOKIE = 'millrace_session'
/** How the identity provider's answer finds back to the browser that went there. */
export const LOGIN_COOKIE = 'millrace_login'

/** 256 bits as base64url; what looks different was not made here. */
const VALUE = /^[\w-]{43}$/

export function presentedSession({ cookie }: IncomingHttpHeaders): string | null {
  const value = cookieValue(cookie, SESSION_COOKIE)
  return value !== null && VALUE.test(value) ? value : null
}

export function cookieValue(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return null
}

type Cookie = { name: string; value: string; path?: string; maxAgeS: number; isHttps: boolean }

/** Not for scripts, not sent along by other sites, and never again in clear once it came by https. */
export function printCookie({ name, value, path = '/', maxAgeS, isHttps }: Cookie): string {
  const flags = `Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax`
  return `${name}=${value}; ${flags}${isHttps ? '; Secure' : ''}`
}
