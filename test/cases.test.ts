/**
 * The shared case files, run against a started service. They stand beside the checkout; without them there is nothing to
 * run and the tests are skipped.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

const cases = join(import.meta.dirname, '../../shared/cases')
const hasCases = existsSync(cases)

let service: Service
beforeAll(async () => {
  if (hasCases) service = await startService()
})
afterAll(() => service?.remove())

const chosen: [string, string][] = [
  ['pipeline', 'pipeline.json'],
  ['lql', 'lql.json'],
  ['sql', 'sql.json'],
]

test.skipIf(!hasCases).each(chosen)(
  'all %s cases pass',
  async (_, file) => {
    const all = JSON.parse(readFileSync(join(cases, file), 'utf8'))
    const output = await run(join(cases, file))
    expect(output.trim().split('\n').at(-1), output).toBe(`${all.cases.length} passed, 0 failed`)
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
