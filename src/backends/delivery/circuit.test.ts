import { expect, test } from 'vitest'
import { createCircuit } from './circuit.ts'

const failure = { kind: 'failed', reason: 'x', needsHelp: false, retryAfterMs: null } as const

function start() {
  let nowMs = 0
  const circuit = createCircuit({
    clock: { nowMs: () => nowMs },
    pace: { firstMs: 1_000, longestMs: 8_000 },
    random: () => 1,
  })
  return { circuit, pass: (ms: number) => (nowMs += ms) }
}

test('the wait doubles up to the longest, and one that worked ends it', () => {
  const { circuit, pass } = start()
  const waits = [1, 2, 3, 4, 5].map(() => {
    expect(circuit.enter()).toBe(true)
    circuit.broke(failure)
    circuit.leave()
    expect(circuit.enter()).toBe(false)
    const waited = circuit.waitMs()
    pass(waited)
    return waited
  })
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000])
  expect(circuit.state).toBe('retrying')
  circuit.worked()
  expect(circuit.state).toBe('ok')
})

test('after a failure one tries alone; who leaves without a result lets the next one try', () => {
  const { circuit, pass } = start()
  circuit.broke(failure)
  pass(1_000)
  expect([circuit.enter(), circuit.enter()]).toEqual([true, false])
  circuit.leave()
  expect(circuit.enter()).toBe(true)
})

test('Retry-After is the least that is waited; what needs help waits longest at once', () => {
  const { circuit } = start()
  circuit.broke({ ...failure, retryAfterMs: 30_000 })
  expect(circuit.waitMs()).toBe(30_000)
  circuit.forget()
  circuit.broke({ ...failure, needsHelp: true })
  expect({ state: circuit.state, waitMs: circuit.waitMs() }).toEqual({ state: 'stopped', waitMs: 8_000 })
})
