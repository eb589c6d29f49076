/**
 * The official client, loaded when the first batch or query comes. It signs requests and sends them; what is in them is
 * written here as text, because the client would look for its own placeholders in every value, and has no big integers.
 */
import type { BigQuery } from '@google-cloud/bigquery'
import { assertAllowed, guardedLookup } from '../address.ts'
import { printExactly } from '../json.ts'
import { type BigqueryOptions, readCredentials } from './options.ts'

export type Asked = Record<string, string | number | boolean>

export type LazyClient = {
  /** Paths are those behind the project: `/datasets/x`. Answers are as they came, to be read by whoever asked. */
  get(path: string, query?: Asked): Promise<unknown>
  post(path: string, body: unknown, query?: Asked): Promise<unknown>
  patch(path: string, body: unknown): Promise<unknown>
}

export function createLazyClient(options: BigqueryOptions, timeoutMs: number): LazyClient {
  let client: Promise<BigQuery> | null = null

  async function open(): Promise<BigQuery> {
    const { BigQuery: Client } = await import('@google-cloud/bigquery')
    const key = options.credentials === undefined ? null : readCredentials(options.credentials)
    if (typeof key === 'string') throw new Error(`the key of the service account ${key}`)
    const opened = new Client({
      projectId: options.project_id,
      location: options.location,
      ...(options.api_endpoint === undefined ? {} : { apiEndpoint: options.api_endpoint }),
      ...(key ? { credentials: key } : {}),
      // Delivery has its own pace, and a query somebody who waits.
      retryOptions: { autoRetry: false },
      userAgent: 'millrace',
    })
    // A key signs each request itself, so there is no other address to ask for tokens.
    if (key) opened.authClient.useJWTAccessWithScope = true
    // An emulator asks for none, and to look for some would ask the metadata address of the cloud.
    else if (options.api_endpoint !== undefined)
      opened.authClient.authorizeRequest = async (request) => ({ ...request })
    return opened
  }

  async function request(method: string, path: string, query: Asked | undefined, body: unknown): Promise<unknown> {
    if (options.api_endpoint !== undefined) assertAllowed(new URL(options.api_endpoint).hostname)
    client ??= open()
    const opened = await client.catch((error) => {
      client = null
      throw error
    })
    const sent = {
      ...{ method, uri: path, timeout: timeoutMs },
      ...(query ? { qs: query } : {}),
      ...(body === undefined ? {} : { body: printExactly(body), headers: { 'content-type': 'application/json' } }),
      pool: { maxSockets: Number.POSITIVE_INFINITY, lookup: guardedLookup },
    }
    return new Promise((resolve, reject) =>
      opened.request(sent, (error, answer) => (error ? reject(error) : resolve(answer))),
    )
  }

  return {
    get: (path, query) => request('GET', path, query, undefined),
    post: (path, body, query) => request('POST', path, query, body),
    patch: (path, body) => request('PATCH', path, undefined, body),
  }
}
