/** The official client, loaded when the first batch or query comes, over connections that reach no forbidden address. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { ClickHouseClient } from '@clickhouse/client'
import { assertAllowed, guardedLookup } from '../address.ts'
import type { ClickhouseOptions } from './options.ts'

export type LazyClient = { get(): Promise<ClickHouseClient>; stop(): void }

export function createLazyClient(options: ClickhouseOptions, timeoutMs: number): LazyClient {
  const url = new URL(options.url)
  if (options.port !== undefined && url.port === '') url.port = String(options.port)
  const settings = { keepAlive: true, maxSockets: options.pool_size, lookup: guardedLookup }
  const agent = url.protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings)
  let client: Promise<ClickHouseClient> | null = null

  async function open(): Promise<ClickHouseClient> {
    const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client')
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    return createClient({
      url: `${url.protocol}//${url.host}${url.pathname}`,
      username: options.username ?? (user || 'default'),
      password: options.password ?? password,
      database: options.database,
      request_timeout: timeoutMs,
      application: 'millrace',
      http_agent: agent,
      log: { level: ClickHouseLogLevel.OFF },
    })
  }

  return {
    get() {
      assertAllowed(url.hostname)
      client ??= open()
      return client
    },
    stop() {
      void client?.then((open) => open.close()).catch(() => {})
      agent.destroy()
    },
  }
}
