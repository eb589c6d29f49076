/**
 * A ClickHouse for tests. Either a server that is named by its address in `MILLRACE_TEST_CLICKHOUSE`, or the engine as a
 * library behind a small HTTP front (`test/clickhouse`), when `scripts/clickhouse.mjs` could install it, which may be
 * under an emulator: then starting it takes seconds. Without either, tests that need it are skipped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'clickhouse')
const given = process.env.MILLRACE_TEST_CLICKHOUSE

/** Under an emulator and beside other tests. */
export const STARTING_MS = 300_000

export type Clickhouse = {
  url: string
  /** Runs one statement and gives the text of the answer. */
  ask(sql: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a Node that has the library; it stands only where that works. */
const launcher = join(folder, 'node_modules', 'run')

export const hasClickhouse = (): boolean => given !== undefined || existsSync(launcher)

/** Then it is ten times slower. */
export const isEmulated = given === undefined && process.arch !== 'x64'

export async function startClickhouse(): Promise<Clickhouse> {
  if (given !== undefined) return { url: given, ask: (sql) => ask(given, sql), stop: async () => {} }
  const data = await mkdtemp(join(tmpdir(), 'millrace-ch-'))
  const front = spawn(launcher, [join(folder, 'front.ts'), '0', data], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(front.stdout, 'data')
  const url = `http://127.0.0.1:${/ready (\d+)/.exec(String(line))?.[1]}`
  return {
    url,
    ask: (sql) => ask(url, sql),
    async stop() {
      const exited = once(front, 'exit')
      front.kill('SIGKILL')
      await exited
      await rm(data, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: sql })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
