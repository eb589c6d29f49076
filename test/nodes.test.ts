/** Three nodes that share their metadata in PostgreSQL, as a load balancer would use them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ALWAYS, json, newSource, post, store } from './support/dialogue.ts'
import { millrace } from './support/millrace.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { openReceiver, type Receiver } from './support/receiver.ts'
import { failToStart, type Service, startService, until } from './support/service.ts'
import { openTail, type TailStream } from './support/tail.ts'

/** What other nodes are promised. */
const REACH_MS = 5_000
const ENV = {
  MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
  MILLRACE_MANAGEMENT_TOKEN: 'management-of-three-nodes',
}

describe.skipIf(!hasPostgres())('three nodes', { timeout: 180_000 }, () => {
  let postgres: Postgres
  let url: string
  let events: string
  let receiver: Receiver
  let nodes: Service[]
  let a: Service
  let b: Service
  let c: Service
  /** Made first and looked at last: it is due when the next minute begins. */
  let alert: string

  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    events = await postgres.createDatabase()
    receiver = await openReceiver()
    const env = { ...ENV, DATABASE_URL: url, MILLRACE_DEFAULT_BACKEND: events }
    nodes = await Promise.all([1, 2, 3].map(() => startService({ env, readyWithinMs: 60_000 })))
    ;[a, b, c] = nodes as [Service, Service, Service]
    await until(async () => (await Promise.all(nodes.map(liveNodes))).every((live) => live === 3), 20_000)
    alert = await newAlert()
  }, 120_000)

  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.remove()))
    await receiver?.stop()
    await postgres?.stop()
  }, 60_000)

  const liveNodes = async (node: Service): Promise<number> => (await json(await node.fetch('/health'))).nodes.live

  async function sql(address: string, text: string): Promise<ReturnType<typeof JSON.parse>[]> {
    const client = new Client({ connectionString: address })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }

  /** Ends the connections on which nodes hear of changes, over and over, while `work` runs. */
  async function unheard(work: () => Promise<void>): Promise<void> {
    let isOver = false
    const cutting = (async () => {
      const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace changes'"
      while (!isOver) await sql(url, cut)
    })()
    await work().finally(() => {
      isOver = true
    })
    await cutting
  }

  async function settingsReachAll(name: string): Promise<void> {
    const { token } = await newSource(a, name)
    const { access_token, id } = await json(await post(a, '/api/access-tokens', { scopes: 'ingest' })).then(tokenOf)
    const send = (node: Service) => post(node, `/api/logs?source=${token}`, { batch: [{ n: 1 }] }, access_token)
    await until(async () => (await send(b)).status === 200 && (await send(c)).status === 200, REACH_MS)
    await a.fetch(`/api/sources/${token}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${name}-renamed` }),
    })
    const sendByName = (node: Service) => post(node, `/api/logs?source_name=${name}-renamed`, { batch: [{ n: 1 }] })
    await until(async () => (await sendByName(b)).status === 200 && (await sendByName(c)).status === 200, REACH_MS)
    expect((await a.fetch(`/api/access-tokens/${id}`, { method: 'DELETE' })).status).toBe(204)
    await until(async () => (await send(b)).status === 401 && (await send(c)).status === 401, REACH_MS)
  }
  const tokenOf = (made: ReturnType<typeof JSON.parse>) => ({ access_token: made.token, id: made.id })

  const nodesSeenBy = async (node: Service) => (await json(await node.fetch('/health'))).nodes

  test('all see each other', async () => {
    for (const node of nodes) expect(await nodesSeenBy(node)).toEqual({ live: 3, unreachable: [], warnings: [] })
  })

  test('settings and revocations reach the others', () => settingsReachAll('heard'))

  test('also when nothing is heard of changes', () => unheard(() => settingsReachAll('unheard')))

  test('a node with another key does not start', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-data-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const key = Buffer.alloc(32, 6).toString('base64')
    const env = { ...ENV, DATABASE_URL: url, MILLRACE_SECRET_KEY: key, MILLRACE_DATA: dataDir }
    const { code, stderr } = await failToStart(env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('MILLRACE_SECRET_KEY')])
  })

  test('what only nodes may ask is refused to others', async () => {
    for (const path of ['/internal/hello', '/internal/tail?source=x', '/internal/kept-answer?hash=x'])
      expect((await a.fetch(path)).status).toBe(401)
  })

  test('a source that is deleted is gone everywhere', async () => {
    const { token } = await newSource(a, 'short')
    await until(
      async () => (await post(b, `/api/logs?source=${token}`, { batch: [{ n: 1 }] })).status === 200,
      REACH_MS,
    )
    expect((await a.fetch(`/api/sources/${token}`, { method: 'DELETE' })).status).toBe(204)
    await until(async () => (await b.fetch(`/api/sources/${token}`)).status === 404, REACH_MS)
    await until(
      async () => (await post(b, `/api/logs?source=${token}`, { batch: [{ n: 1 }] })).status === 404,
      REACH_MS,
    )
  })

  describe('live tail', () => {
    const streams: TailStream[] = []
    const watch = async (node: Service, token: string, cursor?: string): Promise<TailStream> => {
      const stream = await openTail(node, token, cursor === undefined ? {} : { cursor })
      streams.push(stream)
      return stream
    }
    const ids = (stream: TailStream): string[] => stream.events().map(({ id }) => id)
    afterAll(() => {
      for (const stream of streams) stream.close()
    })

    test('shows what any node takes, and goes on at another node where it was', async () => {
      const { token } = await newSource(a, 'watched')
      const first = await watch(a, token)
      await first.isLive()
      await until(async () => (await c.fetch(`/api/sources/${token}`)).status === 200, REACH_MS)
      await store(a, 'watched', [{ id: 'a1' }])
      await store(b, 'watched', [{ id: 'b1' }, { id: 'b2' }])
      await store(c, 'watched', [{ id: 'c1' }])
      await until(() => ids(first).length === 4)
      expect(ids(first).sort()).toEqual(['a1', 'b1', 'b2', 'c1'])
      const cursor = first.cursor()
      first.close()
      await store(a, 'watched', [{ id: 'a2' }])
      await store(b, 'watched', [{ id: 'b3' }])
      const second = await watch(c, token, cursor)
      await store(c, 'watched', [{ id: 'c2' }])
      await until(() => ids(second).length === 3)
      expect(ids(second).sort()).toEqual(['a2', 'b3', 'c2'])
      expect(second.messages('missed')).toEqual([])
    })

    test('tells of a node that is lost, and goes on with it when it is back', async () => {
      const { token } = await newSource(a, 'lost')
      await until(async () => (await b.fetch(`/api/sources/${token}`)).status === 200, REACH_MS)
      const stream = await watch(a, token)
      await stream.isLive()
      await store(b, 'lost', [{ id: 'before' }])
      await until(() => ids(stream).length === 1)
      await b.kill('SIGKILL')
      await until(() => stream.messages('node').some(({ state }) => state === 'lost'))
      await b.restart()
      await store(b, 'lost', [{ id: 'after' }])
      await until(() => ids(stream).length === 2)
      expect(ids(stream)).toEqual(['before', 'after'])
      expect(stream.messages('node').map(({ state }) => state)).toEqual(['lost', 'back'])
      expect(stream.messages('missed')).toEqual([])
    })
  })

  test('an event with a field that one node has never seen is found through another', async () => {
    const { token } = await newSource(a, 'fields')
    await store(a, 'fields', [{ id: 'seen-by-a', metadata: { fresh: 7 } }])
    const known = async (node: Service) => (await node.fetch(`/api/sources/${token}/schema`)).text()
    await until(async () => (await known(b)).includes('fresh'), REACH_MS)
    const search = async (node: Service, lql: string) =>
      (await node.fetch(`/api/sources/${token}/search?${new URLSearchParams({ lql })}`)).text()
    for (const node of nodes) await until(async () => (await search(node, 'm.fresh:>5')).includes('seen-by-a'))
    expect(await search(b, 'm.fresh:>7')).not.toContain('seen-by-a')
    const ask = (field: string) =>
      b.fetch(`/api/query?${new URLSearchParams({ sql: `select ${field} from \`fields\` where ${ALWAYS}` })}`)
    expect((await json(await ask('metadata.fresh as it'))).result).toEqual([{ it: 7 }])
    expect((await ask('metadata.stale')).status).toBe(400)
  })

  test('a source whose events each node would keep to itself is warned of', async () => {
    expect((await post(a, '/api/sources', { name: 'scattered', home: null })).status).toBe(201)
    for (const node of nodes)
      await until(async () =>
        /1 sources live .* MILLRACE_DEFAULT_BACKEND/.test(String((await nodesSeenBy(node)).warnings)),
      )
    await until(() => a.output().includes('does not find what another took'))
    const env = { ...ENV, DATABASE_URL: url, MILLRACE_DATA: a.dataDir, MILLRACE_PORT: new URL(a.url).port }
    const { stdout } = await millrace(['doctor', '--json'], { service: a, env })
    const found = JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'nodes')
    expect(found).toMatchObject([{ state: 'warning', text: expect.stringContaining('1 sources live') }])
  })

  test('a kept answer is found out anew by one node', async () => {
    const made = await post(a, '/api/endpoints', {
      ...{ name: 'kept', query: 'select 1 as one', language: 'bq_sql', cache_duration_seconds: 60 },
      proactive_requerying_seconds: 2,
    })
    expect(made.status, await made.clone().text()).toBe(201)
    const { token } = await json(made)
    const ask = (node: Service) => node.fetch(`/api/endpoints/query/${token}`)
    await until(async () => (await Promise.all(nodes.map(ask))).every(({ ok }) => ok), REACH_MS)
    const requeries = async (): Promise<number> => {
      const [row] = await sql(
        url,
        `select count(*)::int as n from queries where kind = 'requery' and endpoint = '${token}'`,
      )
      return row.n
    }
    const started = Date.now()
    await until(async () => (await requeries()) >= 4, 60_000, 200)
    const rounds = (Date.now() - started) / 2_000
    // Three nodes for themselves would have asked three times in a round.
    expect(await requeries()).toBeLessThan(1.6 * rounds + 1)
  })

  test('the status of a backend is that of all nodes together', async () => {
    const { token } = await newSource(a, 'drained')
    const backend = await json(
      await post(a, '/api/backends', { name: 'hook', type: 'webhook', config: { url: `${receiver.url}/drain` } }),
    )
    await post(a, `/api/sources/${token}/backends/${backend.token}`, {})
    const taken = () => receiver.taken('/drain').flat()
    await until(
      async () => {
        for (const node of nodes) await store(node, 'drained', [{ node: node.url }])
        return new Set(taken().map((one) => one.node)).size === 3
      },
      20_000,
      500,
    )
    await until(async () => {
      const status = await json(await c.fetch(`/api/backends/${backend.token}/status`))
      return status.delivered === taken().length && status.lag_events === 0 && status.silent_nodes.length === 0
    })
  })

  test('a node that is killed under load and comes back loses nothing it acknowledged', async () => {
    const { token } = await newSource(a, 'load')
    const acknowledged = new Set<string>()
    let turn = 0
    let isOver = false
    const sender = async (): Promise<void> => {
      while (!isOver) {
        const n = turn++
        const batch = Array.from({ length: 20 }, (_, i) => ({ id: `e-${n}-${i}`, event_message: `event ${n} ${i}` }))
        // A balancer that knows of no death: what fails is sent to the next node.
        for (let at = n; ; at++) {
          const answer = await post(nodes[at % 3]!, '/api/logs?source_name=load', { batch }).catch(() => null)
          if (answer?.status !== 200) continue
          for (const { id } of batch) acknowledged.add(id)
          break
        }
      }
    }
    const senders = [sender(), sender(), sender(), sender()]
    await until(() => acknowledged.size > 1_000)
    await b.kill('SIGKILL')
    const before = acknowledged.size
    await until(() => acknowledged.size > before + 1_000)
    await b.restart()
    const again = acknowledged.size
    await until(() => acknowledged.size > again + 1_000)
    isOver = true
    await Promise.all(senders)
    const missing = async (): Promise<string[]> => {
      const found = new Set(await stored())
      return [...acknowledged].filter((id) => !found.has(id))
    }
    await until(async () => (await missing()).length === 0, 60_000, 500).catch(() => {})
    expect(await missing()).toEqual([])

    const { total } = await json(await c.fetch(`/api/sources/${token}/search/facets?fields=id`))
    expect(total).toBeGreaterThanOrEqual(acknowledged.size)

    async function stored(): Promise<string[]> {
      const [table] = await sql(
        events,
        `select c.oid::regclass::text as name from pg_class c where c.relkind = 'p' and c.relname like '%${token.replaceAll('-', '_')}%'`,
      )
      return (await sql(events, `select distinct id from ${table.name}`)).map(({ id }) => id)
    }
  })

  async function newAlert(): Promise<string> {
    await newSource(a, 'alerted')
    const made = await post(a, '/api/alerts', {
      ...{ name: 'once', cron: '* * * * *', language: 'bq_sql' },
      query: `select 1 as one from \`alerted\` where ${ALWAYS}`,
    })
    if (made.status !== 201) throw new Error(await made.text())
    return (await json(made)).token
  }

  test('an alert is run once at its time', async () => {
    const runs = async () => json(await b.fetch(`/api/alerts/${alert}/runs`))
    await until(async () => (await runs()).length > 0, 75_000, 500)
    const moments = (await runs()).map(({ at }: { at: string }) => at.slice(0, 16))
    expect(new Set(moments).size).toBe(moments.length)
  })
})
