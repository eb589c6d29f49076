/** A few connections that are kept while they are used, each lent to one piece of work at a time. */
import type { ConnectionOptions } from 'node:tls'
import type { Client, ClientConfig } from 'pg'
import { assertAllowed, guardedLookup } from '../address.ts'
import type { PostgresOptions } from './options.ts'

export type Connections = {
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  stop(): void
}

const IDLE_MS = 60_000
const CONNECT_MS = 10_000

export function createConnections(options: PostgresOptions, timeoutMs: number): Connections {
  const idle: { client: Client; timer: NodeJS.Timeout }[] = []
  const waiting: (() => void)[] = []
  let open = 0
  let isStopped = false

  async function take(): Promise<Client> {
    while (open >= options.pool_size && idle.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const kept = idle.pop()
    if (kept) {
      clearTimeout(kept.timer)
      return kept.client
    }
    open++
    try {
      return await connect(options, timeoutMs)
    } catch (error) {
      gone()
      throw error
    }
  }

  function gone(): void {
    open--
    waiting.shift()?.()
  }

  function close(client: Client): void {
    client.end().catch(() => {})
    gone()
  }

  function giveBack(client: Client): void {
    if (isStopped) {
      close(client)
      return
    }
    const timer = setTimeout(() => {
      const at = idle.findIndex((one) => one.client === client)
      if (at >= 0) idle.splice(at, 1)
      close(client)
    }, IDLE_MS)
    timer.unref()
    idle.push({ client, timer })
    waiting.shift()?.()
  }

  return {
    async use(work) {
      const client = await take()
      let isLost = false
      const onError = (): void => {
        isLost = true
      }
      client.on('error', onError)
      try {
        const result = await work(client)
        if (isLost) close(client)
        else giveBack(client)
        return result
      } catch (error) {
        // What state it is in is not known; a fresh one costs little.
        close(client)
        throw error
      } finally {
        client.off('error', onError)
      }
    },
    stop() {
      isStopped = true
      for (const { client, timer } of idle.splice(0)) {
        clearTimeout(timer)
        close(client)
      }
    },
  }
}

async function connect(options: PostgresOptions, timeoutMs: number): Promise<Client> {
  const { Client: PgClient } = (await import('pg')).default
  const client = new PgClient({
    ...(await guarded(clientConfig(options))),
    connectionTimeoutMillis: Math.min(timeoutMs, CONNECT_MS),
    keepAlive: true,
    application_name: 'millrace',
  })
  // A connection that breaks while nobody uses it must not end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query("SET TimeZone = 'UTC'; SET standard_conforming_strings = on; SET search_path = ''")
  return client
}

export function clientConfig(options: PostgresOptions): ClientConfig {
  const { url, hostname, port, database, username, password, ssl } = options
  if (url === undefined)
    return { host: hostname, port, database, user: username, password, ssl: tls(ssl, hostname ?? '') }
  const at = new URL(url)
  const part = (text: string): string | undefined => (text ? decodeURIComponent(text) : undefined)
  const host = at.searchParams.get('host') ?? at.hostname
  const mode = at.searchParams.get('sslmode')
  const asked = mode?.startsWith('verify') ? 'verify' : mode === 'require' ? 'require' : ssl
  return {
    host,
    port: Number(at.port || port),
    database: part(at.pathname.slice(1)) ?? database,
    user: part(at.username) ?? username,
    password: part(at.password) ?? password,
    ssl: tls(asked, host),
  }
}

const tls = (mode: PostgresOptions['ssl'], servername: string): ConnectionOptions | false =>
  mode === 'disable' ? false : { servername, rejectUnauthorized: mode === 'verify' }

/** The driver resolves names by itself, so it gets the address that was looked at. */
async function guarded(config: ClientConfig): Promise<ClientConfig> {
  const host = config.host ?? ''
  if (host.startsWith('/')) return config
  assertAllowed(host)
  const address = await new Promise<string>((resolve, reject) =>
    guardedLookup(host, { family: 0 }, (error, found) =>
      error ? reject(error) : resolve(typeof found === 'string' ? found : (found[0]?.address ?? host)),
    ),
  )
  return { ...config, host: address }
}
