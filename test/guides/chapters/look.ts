/** Pages about finding events. */
import { expect } from 'vitest'
import { json, newSource, post, store } from '../../support/dialogue.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/service.ts'
import type { Chapter } from '../chapter.ts'
import { expectShape } from '../shape.ts'

const TITLE = 'Watching events as they come'

export const look: Chapter[] = [
  {
    page: 'docs/guide/searching.md',
    async follow(page, { sh, service }) {
      const { token } = await newSource(service, 'searched')
      const event = { event_message: 'gateway timeout', metadata: { level: 'error' } }
      const minute = Math.floor(Date.now() / 60_000) * 60_000
      const timestamp = new Date(minute - 300_000).toISOString()
      await store(service, 'searched', [
        ...Array.from({ length: 10 }, () => ({ timestamp, message: 'ok', metadata: { level: 'info', status: 200 } })),
        { timestamp, message: 'refused', metadata: { level: 'error' } },
        { ...event, timestamp },
      ])
      const shown = JSON.parse(page.take('A page of events', 'json'))
      const found = JSON.parse(await sh(page.take('A page of events'), { env: { SOURCE: token } }))
      expectShape({ ...found, next: '' }, shown)
      expect(found).toMatchObject({ events: [event], lql: shown.lql })

      const ask = async (what: string, lql: string) =>
        json(await service.fetch(`/api/sources/${token}/search${what}?${new URLSearchParams({ lql })}`))
      const chart = JSON.parse(page.take('Charts', 'json'))
      const drawn = await ask('/chart', '')
      const bar = drawn.buckets.find(({ value }: { value: number }) => value > 0)
      expectShape({ ...drawn, buckets: [bar] }, chart)
      expect([bar.value, bar.info, bar.error]).toEqual([12, 10, 2])
      expect(drawn.breakdown).toMatchObject({ field: chart.breakdown.field })

      expect(await ask('', 'error m.statsu:500')).toEqual(JSON.parse(page.take('When a query is refused', 'json')))
    },
  },
  {
    page: 'docs/guide/tailing.md',
    async follow(page, { sh, service }) {
      const { token } = await newSource(service, 'tailed')
      const env = { SOURCE: token }
      const event = { message: 'card declined', metadata: { level: 'error' } }
      const listen = async (script: string): Promise<string> => {
        let sent = false
        return sh(script, {
          env,
          async until(printed) {
            if (!sent && printed.includes(': live')) {
              sent = true
              await store(service, 'tailed', [{ ...event, message: 'read timeout' }, event])
            }
            return /^data: .*card declined/m.test(printed)
          },
        })
      }
      const shown = page.take(TITLE)
      const all = await listen(shown)
      const sample = page.take(TITLE)
      // Lines of the same kinds, in the same order; the events of a source that was quiet before come at once.
      const kinds = (text: string): string[] => [
        ...new Set(
          [...text.matchAll(/^(: live|retry: 2000|id: \d+(?=\n)|id: \d+\.\d|data)/gm)].map(([kind]) =>
            kind.replace(/\d+(?!000)/g, '0'),
          ),
        ),
      ]
      expect(kinds(all)).toEqual(kinds(sample))
      const dataOf = (text: string): unknown => JSON.parse(/^data: (.*)$/m.exec(text)![1]!)
      expectShape(dataOf(all), dataOf(sample))
      expect(all).toContain('read timeout')
      expect(await listen(page.take('Only some of them'))).not.toContain('read timeout')
    },
  },
  {
    page: 'docs/reference/lql.md',
    async follow(page, { service }) {
      const parse = async (lql: string) => service.fetch(`/api/lql/parse?${new URLSearchParams({ lql })}`)
      expect((await parse(page.take('LQL').trim())).status).toBe(200)
      // Every clause that the tables show can be read.
      const clauses = [...page.text.split('## Canonical text')[0]!.matchAll(/^\| (`.*?`(?:, `.*?`)*) \|/gm)]
        .flatMap(([, cell = '']) => [...cell.matchAll(/`(.+?)`/g)].map(([, lql = '']) => lql))
        .filter((lql) => !/[…]|^:|^>|^<|\( /.test(lql))
      expect(clauses.length).toBeGreaterThan(30)
      for (const lql of clauses) expect([lql, (await parse(lql)).status]).toEqual([lql, 200])
      // Searched by test/reference.test.ts, with the table below them.
      expect(JSON.parse(page.take('Examples', 'json'))).toHaveLength(4)
    },
  },
  {
    page: 'docs/reference/sql.md',
    async follow(page, { service }) {
      await newSource(service, 'web')
      await store(service, 'web', [
        { message: 'GET /', status: 200 },
        { message: 'GET /pay', status: 503 },
      ])
      const sql = page.take('Timestamp filter', 'sql')
      const { result } = await json(await service.fetch(`/api/query?${new URLSearchParams({ sql })}`))
      expect(result.reduce((sum: number, { errors }: { errors: number }) => sum + errors, 0)).toBe(1)
    },
  },
  {
    page: 'docs/reference/sql-backends.md',
    canRun: hasPostgres(),
    async follow(page, { sh, service }) {
      const postgres = await startPostgres()
      try {
        const config = { url: await postgres.createDatabase() }
        const backend = await json(await post(service, '/api/backends', { name: 'store', type: 'postgres', config }))
        const source = await newSource(service, 'native.web')
        const attached = await post(service, `/api/sources/${source.token}/backends/${backend.token}`, {})
        expect(attached.ok).toBe(true)
        await store(service, 'native.web', [{ message: 'GET /', metadata: { request: { path: '/' } } }])
        const delivered = async () =>
          (await json(await service.fetch(`/api/backends/${backend.token}/status`))).delivered
        await until(async () => (await delivered()) === 1)
        const script = page.take('SQL on backends').replace('"backend_id": 3', `"backend_id": ${backend.id}`)
        const answer = JSON.parse(await sh(script.replace('from web', 'from native.web')))
        expect(answer).toMatchObject({ result: [{ path: '/', count: 1 }] })
        await service.fetch(`/api/sources/${source.token}`, { method: 'DELETE' })
        await service.fetch(`/api/backends/${backend.token}`, { method: 'DELETE' })
      } finally {
        await postgres.stop()
      }
    },
  },
]
