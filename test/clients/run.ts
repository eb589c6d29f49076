/** Runs what a reader would run: a Node program with the packages of this folder, or commands of a shell. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../support/service.ts'

/** How the program ended, what it said on both streams, and what of that were complaints. */
export type Ended = { code: number | null; said: string; complaints: string }

const packages = join(import.meta.dirname, 'node_modules')

export const hasPackages = existsSync(join(packages, '.package-lock.json'))

/** Long enough for clients that send once in a few seconds, on a machine that is busy. */
const ENDS_WITHIN_MS = 60_000

/** Keeps a program running that would end when it has nothing more to do. */
const STAY = 'data:text/javascript,setInterval(()=>{},1000)'

/** With `isDone` the program stays until that holds of what it said, and is ended then. */
export async function runProgram(
  text: string,
  env: Record<string, string>,
  isDone?: (said: string) => Promise<boolean>,
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-client-'))
  try {
    symlinkSync(packages, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'program.mjs'), text)
    const program = join(folder, 'program.mjs')
    if (!isDone) return await run(process.execPath, [program], env)
    return await run(process.execPath, ['--import', STAY, program], env, isDone)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A command that the service refuses must show it by its exit code, as `curl` does when asked to. */
export function runCommands(text: string, env: Record<string, string>): Promise<Ended> {
  const commands = text.replaceAll(/\bcurl /g, 'curl -sS --fail-with-body ').replaceAll('npx ', '')
  const path = [join(packages, '.bin'), process.env.PATH].join(delimiter)
  return run('bash', ['-e', '-o', 'pipefail', '-c', commands], { ...env, PATH: path })
}

function run(
  command: string,
  args: string[],
  env: Record<string, string>,
  isDone?: (said: string) => Promise<boolean>,
): Promise<Ended> {
  const child = spawn(command, args, {
    // A package may use what a new Node advises against; that is not about us.
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ENDS_WITHIN_MS,
    killSignal: 'SIGKILL',
  })
  let said = ''
  let complaints = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    complaints += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: isDone ? 0 : code, said, complaints }))
  })
  if (isDone) until(() => isDone(said), ENDS_WITHIN_MS).finally(() => child.kill())
  return ended
}
