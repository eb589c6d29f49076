/** A browser as the service sees it: it keeps one cookie and, once logged in, sends the word that changes must carry. */
import type { Service } from './service.ts'

export type Browser = {
  /** `name=value`, or empty. */
  cookie: string
  csrf: string
  /** The last `set-cookie`, with its flags. */
  setCookie: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; looking into them is what the tests are for
export type Answer = { status: number; json: any; headers: Headers }

export function openBrowser(service: Pick<Service, 'url'>): Browser {
  const browser: Browser = {
    cookie: '',
    csrf: '',
    setCookie: '',
    async call(method, path, body, headers = {}) {
      const response = await fetch(service.url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(browser.cookie ? { cookie: browser.cookie } : {}),
          ...(browser.csrf && method !== 'GET' ? { 'x-csrf-token': browser.csrf } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const [cookie] = response.headers.getSetCookie()
      if (cookie !== undefined) {
        browser.setCookie = cookie
        browser.cookie = cookie.split(';', 1)[0] ?? ''
      }
      const text = await response.text()
      const json = text === '' ? null : JSON.parse(text)
      if (typeof json?.csrf_token === 'string') browser.csrf = json.csrf_token
      return { status: response.status, json, headers: response.headers }
    },
  }
  return browser
}
