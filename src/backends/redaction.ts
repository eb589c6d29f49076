/** Keeps secrets out of what is shown, and puts them back when what was shown is sent back. */
import type { Kind, Options } from './kind.ts'

export const REDACTED = 'REDACTED'

/** Headers whose values are secrets by custom. */
const SECRET_HEADERS = new Set([
  ...['api-key', 'apikey', 'authorization', 'cookie', 'proxy-authorization', 'webhook-secret', 'x-access-token'],
  ...['x-amz-security-token', 'x-api-key', 'x-api-token', 'x-auth-token', 'x-hub-signature', 'x-hub-signature-256'],
  ...['x-secret-key', 'x-signature', 'x-webhook-secret', 'x-goog-api-key', 'dd-api-key'],
])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function redact({ secrets }: Pick<Kind, 'secrets'>, config: Options): Options {
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => {
      if (secrets.includes(field)) return [field, REDACTED]
      if (field === 'headers' && isRecord(value)) return [field, redactHeaders(value)]
      return [field, typeof value === 'string' ? redactUrl(value) : value]
    }),
  )
}

function redactHeaders(headers: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_HEADERS.has(name.toLowerCase()) ? REDACTED : value,
  ])
  return Object.fromEntries(shown)
}

function redactUrl(value: string): string {
  const url = urlWithUser(value)
  if (!url) return value
  url.username &&= REDACTED
  url.password &&= REDACTED
  return url.href
}

function urlWithUser(value: unknown): URL | null {
  if (typeof value !== 'string' || !/^(?:https?|postgres(?:ql)?):/i.test(value) || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.username || url.password ? url : null
}

/** What was sent, with the stored value wherever it only says that there is one. */
export function restore({ secrets }: Pick<Kind, 'secrets'>, sent: Options, stored: Options): Options {
  return Object.fromEntries(
    Object.entries(sent).map(([field, value]) => {
      const old = stored[field]
      if (secrets.includes(field)) return [field, value === REDACTED && old !== undefined ? old : value]
      if (field === 'headers' && isRecord(value) && isRecord(old)) return [field, restoreHeaders(value, old)]
      return [field, typeof value === 'string' ? restoreUrl(value, old) : value]
    }),
  )
}

function restoreHeaders(sent: Record<string, unknown>, stored: Record<string, unknown>): Record<string, unknown> {
  const restored = Object.entries(sent).map(([name, value]) => [
    name,
    value === REDACTED ? (stored[name.toLowerCase()] ?? value) : value,
  ])
  return Object.fromEntries(restored)
}

function restoreUrl(sent: string, stored: unknown): string {
  const url = urlWithUser(sent)
  const old = urlWithUser(stored)
  if (!url || !old) return sent
  if (url.username === REDACTED) url.username = old.username
  if (url.password === REDACTED) url.password = old.password
  return url.href
}
