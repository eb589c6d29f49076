/** The examples of the LQL reference find what its table says, in memory and in a search of the service. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMatcher, parse } from '../src/lql/lql.ts'
import { json, post, store } from './support/dialogue.ts'
import { type Service, startService } from './support/service.ts'

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../docs/reference', name), 'utf8')
const text = page('lql.md').split('## Examples')[1] ?? ''
const events: { id: string; timestamp: string }[] = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '[]')
const examples = [...text.matchAll(/^\| `(.+)` \| (none|[\d, ]+) \|$/gm)].map(([, lql = '', found = '']) => ({
  lql,
  ids: found === 'none' ? [] : found.split(', '),
}))

let service: Service
let source: { token: string }
beforeAll(async () => {
  service = await startService({ readyWithinMs: 60_000 })
  const made = await post(service, '/api/sources', { name: 'examples', retention_days: 3650 })
  source = await json(made)
  await store(service, 'examples', events)
}, 90_000)
afterAll(() => service?.remove())

test('the table has examples', () => {
  expect([events.length, examples.length]).toEqual([4, 18])
})

test.each(examples)('lql in memory: $lql', ({ lql, ids }) => {
  const matches = createMatcher(parse(lql))
  const found = events.filter((event) => matches({ ...event, timestamp: Date.parse(event.timestamp) * 1000 }))
  expect(found.map(({ id }) => id)).toEqual(ids)
})

test.each(examples)('lql in a search: $lql', async ({ lql, ids }) => {
  const within = /\bt:/.test(lql) ? lql : `${lql} t:2026-03-01..2026-03-03`
  const query = new URLSearchParams({ lql: within })
  const answer = await json(await service.fetch(`/api/sources/${source.token}/search?${query}`))
  expect(answer.events?.map(({ id }: { id: string }) => id).sort(), JSON.stringify(answer)).toEqual(ids)
})
