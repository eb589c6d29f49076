/**
 * The service, seen from the command line: requests with the token, answers read, refusals as failures with the words
 * of the service. A service that cannot be reached is named with the address that was tried.
 */
import { isUuid } from '../base/ids.ts'
import { Failure } from './failure.ts'

export type Json = Record<string, unknown>

export type Api = {
  readonly url: string
  /** The answer, whatever its status; fails only when there is none. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The answer's bytes, unless it is a refusal. */
  open(path: string, init?: RequestInit): Promise<Response>
  json(method: string, path: string, body?: unknown): Promise<unknown>
  list(path: string): Promise<Json[]>
  /** By name or UUID, out of the records of a kind. */
  find(kind: 'sources' | 'endpoints' | 'backends', name: string): Promise<Json & { token: string }>
}

type Place = {
  url: string
  token: string | null
  signal: AbortSignal /** Where the address came from. */
  from: string
}

export function createApi({ url, token, signal, from }: Place): Api {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    try {
      return await fetch(url + path, { signal, ...init, headers })
    } catch (error) {
      if (signal.aborted) throw new Failure(130, 'Interrupted.')
      throw new Failure(
        3,
        `The service at ${url} cannot be reached: ${reasonOf(error)}.`,
        `The address comes from ${from}. Is the service running? Give another one with --url or MILLRACE_URL.`,
      )
    }
  }

  async function open(path: string, init?: RequestInit): Promise<Response> {
    const answer = await ask(path, init)
    if (!answer.ok) throw await refusal(answer, token !== null)
    return answer
  }

  async function json(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await open(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    if (answer.status === 204) return null
    return readJson(await answer.text())
  }

  async function list(path: string): Promise<Json[]> {
    const answer = await json('GET', path)
    if (!Array.isArray(answer)) throw notOurs()
    return answer.map(recordOf)
  }

  return {
    url,
    fetch: ask,
    open,
    json,
    list,
    async find(kind, name) {
      const records = await list(`/api/${kind}`)
      const wanted = isUuid(name) ? name.toLowerCase() : null
      const found = records.find((record) => (wanted ? record.token === wanted : record.name === name))
      if (!found || typeof found.token !== 'string') {
        const names = records.map((record) => String(record.name))
        throw new Failure(
          1,
          `There is no ${kind.slice(0, -1)} ${JSON.stringify(name)}.`,
          names.length > 0 ? `There ${names.length > 1 ? 'are' : 'is'}: ${names.slice(0, 20).join(', ')}.` : null,
        )
      }
      return { ...found, token: found.token }
    },
  }
}

/** The service's own words. */
export async function refusal(answer: Response, hasToken: boolean): Promise<Failure> {
  const words = wordsOf(await answer.text().catch(() => '')) ?? `The service answered ${answer.status}.`
  if (answer.status === 401)
    return new Failure(
      4,
      hasToken ? 'The service does not know this token.' : 'The service asks for a token.',
      'Give one with --token or MILLRACE_TOKEN, or once and for all with `millrace login`.',
    )
  return new Failure(answer.status === 403 ? 4 : 1, words)
}

function wordsOf(text: string): string | null {
  let answer: Json
  try {
    answer = recordOf(JSON.parse(text))
  } catch {
    return null
  }
  if (typeof answer.error === 'string') return answer.error
  if (Array.isArray(answer.message)) return answer.message.join('\n')
  if (typeof answer.errors === 'object' && answer.errors !== null)
    return Object.entries(answer.errors)
      .map(([field, problems]) => `${field}: ${Array.isArray(problems) ? problems.join(', ') : String(problems)}`)
      .join('\n')
  return null
}

export const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notOurs()
  }
}

const notOurs = (): Failure => new Failure(1, 'The answer is none of a Millrace service. Is the address right?')

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const known = new Map([
    ['ECONNREFUSED', 'nobody listens there'],
    ['ENOTFOUND', 'its name is not known'],
    ['EAI_AGAIN', 'its name cannot be looked up now'],
    ['ECONNRESET', 'it closed the connection'],
    ['UND_ERR_SOCKET', 'it closed the connection'],
    ['UND_ERR_CONNECT_TIMEOUT', 'it does not answer'],
    ['ETIMEDOUT', 'it does not answer'],
    ['CERT_HAS_EXPIRED', 'its certificate has expired'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is signed by itself'],
  ]).get(code)
  return known ?? (code || (cause instanceof Error ? cause.message : String(error)))
}
