import { expect, test } from 'vitest'
import type { LoggedQuery } from '../catalog/query-log.ts'
import { createQueryRecorder } from './recorder.ts'

const query: Omit<LoggedQuery, 'at' | 'count'> = {
  kind: 'endpoint',
  endpoint: 'e',
  version: 1,
  labels: {},
  rows: 1,
  bytes_scanned: 0,
  ms: 2,
  cached: false,
  error: null,
  token: null,
}

function world() {
  const written: { accountId: number; entry: LoggedQuery }[][] = []
  const lost: unknown[] = []
  const parts = { fails: false }
  const recorder = createQueryRecorder({
    queryLog: {
      add: async (group) => {
        if (parts.fails) throw new Error('disk full')
        written.push(group)
      },
      prune: async () => {},
    },
    clock: { nowMs: () => 0 },
    onLost: (error) => lost.push(error),
  })
  return { recorder, written, lost, parts }
}

test('queries are written in groups, equal hits as one line with their count', async () => {
  const { recorder, written } = world()
  recorder.note(7, query)
  for (let n = 0; n < 10_000; n++) recorder.noteHit('k', () => ({ accountId: 7, query: { ...query, cached: true } }))
  recorder.noteHit('other', () => ({ accountId: 7, query: { ...query, cached: true } }))
  await recorder.stop()
  expect(written).toHaveLength(1)
  expect(written[0]!.map(({ entry }) => [entry.cached, entry.count])).toEqual([
    [false, 1],
    [true, 10_000],
    [true, 1],
  ])
})

test('a log that cannot be written loses lines, not the service', async () => {
  const { recorder, lost, parts } = world()
  parts.fails = true
  recorder.note(7, query)
  await recorder.stop()
  expect(lost).toHaveLength(1)
})
