import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { afterSecondRun, tally } from '../scripts/tally.mjs'

const folder = mkdtempSync(join(tmpdir(), 'millrace-tally-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Outcome = { fullName: string; status: string; failureMessages?: string[] }
type File = { name: string; status: string; assertionResults: Outcome[] }

function report(...testResults: File[]): string {
  const path = join(folder, 'report.json')
  writeFileSync(path, JSON.stringify({ testResults }))
  return path
}

const file = (status: string, ...statuses: string[]): File => ({
  name: 'a.test.ts',
  status,
  assertionResults: statuses.map((each) => ({ fullName: `a ${each} test`, status: each })),
})

test('passed, failed and skipped tests are told apart', () => {
  expect(tally(report(file('failed', 'passed', 'failed', 'skipped', 'todo'), file('passed', 'passed')), 1)).toEqual({
    passed: 2,
    failed: 1,
    skipped: ['a skipped test', 'a todo test'],
    broken: ['a failed test'],
    brokenFiles: ['a.test.ts'],
    hasFinding: false,
  })
})

test('a file that could not be loaded is a failure, though it has no tests', () => {
  expect(tally(report(file('failed'), file('passed', 'passed')), 1)).toMatchObject({ passed: 1, failed: 1 })
})

test('a test that never finished is a failure, not a skip', () => {
  expect(tally(report(file('passed', 'pending')), 1)).toMatchObject({ failed: 1, skipped: [] })
})

test('a runner that died is a failure, with or without a report', () => {
  expect(tally(report(file('passed', 'passed')), 1)).toMatchObject({ passed: 1, failed: 1 })
  expect(tally(report(file('passed', 'passed')), null)).toMatchObject({ failed: 1 })
  expect(tally(join(folder, 'missing.json'), 1)).toMatchObject({ passed: 0, failed: 1 })
})

test('what passes only in a second run counts as passed and is named; what fails twice has failed', () => {
  const first = tally(report(file('failed', 'passed', 'failed'), { ...file('failed', 'failed'), name: 'b.test.ts' }), 1)
  const broken = [{ fullName: 'a failed test', status: 'failed' }]
  const second = tally(report({ name: 'a.test.ts', status: 'failed', assertionResults: broken }), 1)
  expect(afterSecondRun(first, second)).toMatchObject({ passed: 2, failed: 1, broken: ['a failed test'] })
  const healed = tally(report(file('passed', 'passed', 'passed')), 0)
  expect(afterSecondRun({ ...first, broken: ['x', 'y'] }, healed)).toMatchObject({
    ...{ passed: 3, failed: 0, broken: [], passedAlone: ['x', 'y'] },
  })
})

test('an input that broke a property is a finding, which no second run takes back', () => {
  const outcome = {
    fullName: 'a property',
    status: 'failed',
    failureMessages: ['Error: Property failed after 3 tests\n{ seed: 1 }'],
  }
  expect(tally(report({ name: 'a.test.ts', status: 'failed', assertionResults: [outcome] }), 1).hasFinding).toBe(true)
  expect(tally(report(file('failed', 'failed')), 1).hasFinding).toBe(false)
})
