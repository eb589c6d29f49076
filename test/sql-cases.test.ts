/**
 * The shared case files about SQL and endpoints, run against a started service. They stand beside the checkout; without
 * them there is nothing to run and the test is skipped.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startService } from './support/service.ts'

const cases = join(import.meta.dirname, '../../shared/cases')

/** These need backends and alerts. */
const LATER = ['backend_id errors', 'an alert is a table by its name']

test.skipIf(!existsSync(cases))(
  'all cases about SQL and endpoints pass',
  async () => {
    const all = JSON.parse(readFileSync(join(cases, 'sql.json'), 'utf8'))
    const own = { ...all, cases: all.cases.filter(({ name }: { name: string }) => !LATER.includes(name)) }
    const folder = mkdtempSync(join(tmpdir(), 'millrace-sql-cases-'))
    const service = await startService()
    try {
      writeFileSync(join(folder, 'sql.json'), JSON.stringify(own))
      const words = ['--base', service.url, '--token', service.managementToken, join(folder, 'sql.json')]
      const output = await run([join(cases, 'run.mjs'), ...words])
      expect(output.trim().split('\n').at(-1), output).toBe(`${own.cases.length} passed, 0 failed`)
    } finally {
      await service.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  240_000,
)

function run(words: string[]): Promise<string> {
  const runner = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [runner.stdout, runner.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve) => runner.once('close', () => resolve(output)))
}
