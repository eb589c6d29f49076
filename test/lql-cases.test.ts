/** The cases of LQL that search alone can answer, run against the built service. They lie beside the checkout. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startService } from './support/service.ts'

const cases = join(import.meta.dirname, '../../shared/cases')

type Case = { matches?: string[]; via?: string[]; also?: string[] }

/** Rules, live tail and the drop filter have cases of their own. */
function bySearchAlone({ also = [], ...rest }: Case): Case {
  return { ...rest, ...(rest.matches ? { via: ['search'] } : { also: also.filter((what) => what === 'search') }) }
}

test.skipIf(!existsSync(cases))(
  'search, charts, canonical text and errors hold to their cases',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-cases-'))
    const service = await startService()
    try {
      const file = join(folder, 'lql.json')
      const { kind, cases: all }: { kind: string; cases: Case[] } = JSON.parse(
        readFileSync(join(cases, 'lql.json'), 'utf8'),
      )
      writeFileSync(file, JSON.stringify({ kind, cases: all.map(bySearchAlone) }))
      const args = [join(cases, 'run.mjs'), '--base', service.url, '--token', service.managementToken, file]
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((failure) => failure)
      expect(stdout).toBe(`${all.length} passed, 0 failed\n`)
    } finally {
      await service.remove()
      rmSync(folder, { recursive: true })
    }
  },
)
