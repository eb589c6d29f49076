import { expect, test } from 'vitest'
import type { Outcome } from '../kind.ts'
import { settle } from './settle.ts'

const EVENTS = ['a', 'b', 'c', 'd'].map((id) => ({ id, timestamp: 0, event_message: null }))

async function settled(outcome: Outcome, canPutAside = true) {
  const told: string[] = []
  const result = await settle(EVENTS, {
    receiver: { send: async () => outcome },
    source: { token: 't', name: 's', serviceName: null, retentionDays: 1, fields: () => ({}) },
    onAccepted: (from, to) => void told.push(`took ${from}-${to}`),
    async onRefused(index, reason) {
      told.push(`refused ${index}: ${reason}`)
      return canPutAside ? null : { kind: 'failed', reason: 'no room', needsHelp: false, retryAfterMs: null }
    },
  })
  return { told, ...result }
}

test('events that a receiver refuses one by one are put aside, and the others count as taken', async () => {
  const refused = [
    { index: 0, reason: 'x' },
    { index: 2, reason: 'y' },
  ]
  expect(await settled({ kind: 'accepted', refused })).toEqual({
    ...{ told: ['refused 0: x', 'took 1-2', 'refused 2: y', 'took 3-4'], count: 4, failure: null },
  })
})

test('a refused event that cannot be put aside holds back what is behind it', async () => {
  const refused = [{ index: 1, reason: 'x' }]
  expect(await settled({ kind: 'accepted', refused }, false)).toMatchObject({
    ...{ told: ['took 0-1', 'refused 1: x'], count: 1, failure: { reason: 'no room' } },
  })
})
