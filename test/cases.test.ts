/**
 * The shared case files, run against a started service. They stand beside the checkout; without them there is nothing to
 * run and the tests are skipped.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

type Case = { name: string; area: string }

const cases = join(import.meta.dirname, '../../shared/cases')
const hasCases = existsSync(cases)

let service: Service
const folder = mkdtempSync(join(tmpdir(), 'millrace-cases-'))
beforeAll(async () => {
  if (hasCases) service = await startService()
})
afterAll(async () => {
  await service?.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Alerts are not there yet. */
const NEEDS_OTHERS = ['an alert is a table by its name']

const chosen: [string, string, (one: Case) => boolean][] = [
  ['pipeline', 'pipeline.json', () => true],
  ['lql', 'lql.json', () => true],
  ['sql', 'sql.json', ({ name }) => !NEEDS_OTHERS.includes(name)],
]

test.skipIf(!hasCases).each(chosen)(
  'all %s cases pass',
  async (title, file, isChosen) => {
    const all = JSON.parse(readFileSync(join(cases, file), 'utf8'))
    const own = { ...all, cases: all.cases.filter(isChosen) }
    const path = join(folder, `${title.replace(' ', '-')}.json`)
    writeFileSync(path, JSON.stringify(own))
    const output = await run(path)
    expect(output.trim().split('\n').at(-1), output).toBe(`${own.cases.length} passed, 0 failed`)
  },
  240_000,
)

function run(path: string): Promise<string> {
  const words = ['--base', service.url, '--token', service.managementToken, '--jobs', '4', path]
  const runner = spawn(process.execPath, [join(cases, 'run.mjs'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [runner.stdout, runner.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve) => runner.once('close', () => resolve(output)))
}
