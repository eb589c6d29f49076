/**
 * Speaks to the service: JSON in, JSON out, with the cookie of the session and its token against forged requests.
 * An answer that is not a success is a value (`Problem`) with its status and the server's own sentence. `get`, `post` and
 * their kin throw that problem instead, which is what queries and mutations expect.
 */
export type FieldErrors = Record<string, string[]>

/** What stopped a request. `status` is 0 when there was no answer at all. */
export class Problem extends Error {
  readonly status: number
  /** What is wrong with a record, field by field (422). */
  readonly fields: FieldErrors
  /** Everything the answer held, for callers who know more of it (a position in a query, missing keys). */
  readonly details: Record<string, unknown>
  constructor(status: number, sentence: string, fields: FieldErrors = {}, details: Record<string, unknown> = {}) {
    super(sentence)
    this.name = 'Problem'
    this.status = status
    this.fields = fields
    this.details = details
  }
}

export type Outcome<T> = { ok: true; value: T; headers: Headers } | { ok: false; problem: Problem }
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Options = { body?: unknown; signal?: AbortSignal | undefined; accept?: string }

export type Api = {
  request<T>(method: Method, path: string, options?: Options): Promise<Outcome<T>>
  /** An answer that is no JSON, to be kept as it is. */
  file(path: string, body: unknown): Promise<Blob>
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  patch(path: string, body: unknown): Promise<void>
  remove(path: string, body?: unknown): Promise<void>
}

type Parts = {
  /** Of the present session; empty when there is none. */
  csrfToken(): string
  /** The session is over or was never there. */
  onUnauthorized(): void
  fetch?: typeof fetch
}

export function createApi({ csrfToken, onUnauthorized, fetch: send = fetch }: Parts): Api {
  async function ask(method: Method, path: string, options: Options): Promise<Response | Problem> {
    const { body, signal, accept = 'application/json' } = options
    try {
      return await send(path, {
        method,
        headers: {
          accept,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken() }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      return new Problem(0, 'The service cannot be reached. Check that it runs, then try again.')
    }
  }

  async function request<T>(method: Method, path: string, options: Options = {}): Promise<Outcome<T>> {
    const answer = await ask(method, path, options)
    if (answer instanceof Problem) return { ok: false, problem: answer }
    const content: unknown = await readJson(answer)
    if (answer.ok) return { ok: true, value: content as T, headers: answer.headers }
    // A wrong password is also 401, and is told to the person who typed it.
    if (answer.status === 401 && path !== '/api/session') onUnauthorized()
    return { ok: false, problem: problemOf(answer.status, content) }
  }

  async function value<T>(outcome: Promise<Outcome<T>>): Promise<T> {
    const result = await outcome
    if (!result.ok) throw result.problem
    return result.value
  }

  async function file(path: string, body: unknown): Promise<Blob> {
    const answer = await ask('POST', path, { body, accept: '*/*' })
    if (answer instanceof Problem) throw answer
    if (!answer.ok) throw problemOf(answer.status, await readJson(answer))
    return answer.blob()
  }

  return {
    request,
    file,
    get: (path, signal) => value(request('GET', path, { signal })),
    post: (path, body) => value(request('POST', path, { body })),
    put: (path, body) => value(request('PUT', path, { body })),
    patch: (path, body) => value(request('PATCH', path, { body })),
    remove: (path, body) => value(request('DELETE', path, { body })),
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function problemOf(status: number, content: unknown): Problem {
  const details: Record<string, unknown> = typeof content === 'object' && content !== null ? { ...content } : {}
  const fields = fieldErrors(details.errors)
  const sentence =
    typeof details.error === 'string' ? details.error : (sentenceOf(fields) ?? `The service answered ${status}.`)
  return new Problem(status, sentence, fields, details)
}

function fieldErrors(errors: unknown): FieldErrors {
  if (typeof errors !== 'object' || errors === null) return {}
  return Object.fromEntries(
    Object.entries(errors).map(([field, texts]) => [field, Array.isArray(texts) ? texts.map(String) : [String(texts)]]),
  )
}

function sentenceOf(fields: FieldErrors): string | null {
  const parts = Object.entries(fields).map(([field, texts]) => `${field} ${texts.join(', ')}`)
  return parts.length === 0 ? null : `${parts.join('; ')}.`
}

/** What to show of whatever was thrown. */
export const sentenceOfError = (error: unknown): string =>
  error instanceof Problem ? error.message : 'Something in this page failed. Load it again.'
