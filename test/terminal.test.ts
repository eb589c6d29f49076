/**
 * The `millrace` command where a person sits: on a real terminal (that of `script`, from util-linux) it has colours and tells
 * how far it is, in a pipe neither; and real shells complete commands and names with its scripts.
 */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSource, store } from './support/dialogue.ts'
import { commandEnv, MAIN, millrace } from './support/millrace.ts'
import { type Service, startService } from './support/service.ts'

const run = promisify(execFile)

function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const hasTerminal = has('script', '-qec', 'true', '/dev/null')

let service: Service
let folder: string
let env: Record<string, string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-terminal-'))
  writeFileSync(join(folder, 'millrace'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(join(folder, 'millrace'), 0o755)
  service = await startService({ readyWithinMs: 60_000 })
  for (const name of ['my-app', 'my shop', 'web']) await newSource(service, name)
  const events = Array.from({ length: 300 }, (_, i) => ({ message: `event ${i}`, metadata: { level: 'error' } }))
  await store(service, 'my-app', events)
  const place = { MILLRACE_DATA: service.dataDir, MILLRACE_PORT: new URL(service.url).port, HOME: folder }
  for (const shell of ['bash', 'fish', 'zsh'])
    writeFileSync(join(folder, `completion.${shell}`), (await millrace(['completion', shell])).stdout)
  env = commandEnv({ service, env: { ...place, PATH: `${folder}:${process.env.PATH}`, TERM: 'xterm-256color' } })
}, 60_000)
afterAll(async () => {
  await service?.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** All that the terminal got to see. */
async function onTerminal(command: string, more: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('script', ['-qec', command, '/dev/null'], { env: { ...env, ...more }, cwd: folder })
  return stdout
}

const COLOUR = /\x1b\[\d+m/
const BAR = /\r\x1b\[K\[█+·*\] +\d+ %/

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('results have colours, unless NO_COLOR asks for none', async () => {
    expect(await onTerminal('millrace doctor')).toMatch(COLOUR)
    expect(await onTerminal('millrace search my-app')).toMatch(COLOUR)
    expect(await onTerminal('millrace search my-app', { NO_COLOR: '1' })).not.toMatch(COLOUR)
    expect(await onTerminal('millrace search my-app', { TERM: 'dumb' })).not.toMatch(COLOUR)
  })

  test('a bar tells how far it is, and is gone at the end', async () => {
    const seen = await onTerminal('millrace export my-app ./exported --file-events 100')
    expect(seen).toMatch(BAR)
    expect(seen.slice(seen.lastIndexOf('%'))).toContain('\r\x1b[K')
  })

  test('with its results in a pipe, the bar is still shown and the results are plain', async () => {
    const seen = await onTerminal('millrace export my-app ./piped --file-events 100 | cat')
    expect(seen).toMatch(BAR)
    expect(await onTerminal('millrace search my-app | cat')).not.toMatch(COLOUR)
  })
})

test('in a pipe there are neither colours nor a bar', async () => {
  const target = join(folder, 'quiet')
  for (const args of [['doctor'], ['search', 'my-app'], ['export', 'my-app', target, '--file-events', '100']]) {
    const { code, stdout, stderr } = await millrace(args, { env })
    expect([args, code]).toEqual([args, 0])
    expect(stdout + stderr).not.toMatch(/[\x1b\r]/)
  }
})

/** What a shell offers behind these words. */
type Offers = (line: string) => Promise<string[]>

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const SHELLS: [string, boolean, Offers][] = [
  [
    'bash',
    has('bash', '-c', 'type complete'),
    async (line) => {
      const script = `source "$HOME/completion.bash"
        line="millrace $1"; COMP_WORDS=($line); [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _millrace; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p millrace >&2`
      const { stdout, stderr } = await run('bash', ['-c', script, 'bash', line], { env, cwd: folder })
      expect(stderr).toMatch(/-F _millrace millrace/)
      return lines(stdout).map((name) => name.replaceAll('\\', ''))
    },
  ],
  [
    'fish',
    has('fish', '--no-config', '-c', 'true'),
    async (line) => {
      const script = 'source ~/completion.fish; complete -C "millrace $argv[1]"'
      const { stdout } = await run('fish', ['--no-config', '-c', script, line], { env, cwd: folder })
      return lines(stdout).map((offer) => offer.split('\t')[0]!)
    },
  ],
]

describe.each(SHELLS)('%s', (_, isHere, offers) => {
  test.skipIf(!isHere)('completes commands, options and names', { timeout: 90_000 }, async () => {
    expect(await offers('sea')).toEqual(['search'])
    expect(await offers('search m')).toEqual(expect.arrayContaining(['my-app', 'my shop']))
    expect(await offers('search --li')).toEqual(['--limit'])
    expect(await offers('search -n 5 we')).toEqual(['web'])
    expect(await offers('sources sh')).toEqual(['show'])
    expect(await offers('sources show w')).toEqual(['web'])
    expect(await offers('completion z')).toEqual(['zsh'])
  })
})

test.skipIf(!has('zsh', '-f', '-c', 'true'))('zsh can read its script', async () => {
  expect(await run('zsh', ['-f', '-n', join(folder, 'completion.zsh')])).toMatchObject({ stderr: '' })
})
