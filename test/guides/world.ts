/**
 * Where the examples run: a service, a receiver for what it sends, a folder, and a shell in which `millrace` is the built
 * command. What a reader would put in (addresses, tokens, folders of the system) is put in before a script runs.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, post } from '../support/dialogue.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { freePort, type Service, startService } from '../support/service.ts'
import { root } from './page.ts'

type Told = { code: number | null; stdout: string; stderr: string }

type Run = {
  env?: Record<string, string | undefined>
  input?: string
  /** Ends the script once this holds of what it printed: for what would not end by itself. */
  until?(printed: string): boolean | Promise<boolean>
}

export type World = {
  service: Service
  receiver: Receiver
  /** Scripts run in here; it holds nothing at first. */
  folder: string
  /** Runs a script with what a reader would put in. Fails when a command of it fails. */
  sh(script: string, options?: Run): Promise<string>
  fillIn(text: string): string
  /** Makes the first owner, if nobody did: ada@example.com. */
  owner(): Promise<void>
  stop(): Promise<void>
}

const ENDS_WITHIN_MS = 60_000

/** Commands that not every machine has, or that would not end, as far as the examples need them. */
const STAND_INS = {
  journalctl: `printf '%s\\n' '{"MESSAGE":"Started","PRIORITY":"6"}' '{"MESSAGE":"Stopped","PRIORITY":"6"}'`,
  jq: `exec "${process.execPath}" -e '
    const name = process.argv[1].slice(1)
    for (const line of require("fs").readFileSync(0, "utf8").trim().split("\\n")) console.log(JSON.stringify(JSON.parse(line)[name]))
  ' "$1"`,
}

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-guides-'))
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  program('millrace', `exec "${process.execPath}" "${join(root, 'bin/millrace.mjs')}" "$@"`)
  for (const [name, text] of Object.entries(STAND_INS)) program(name, text)

  const [service, receiver] = await Promise.all([startService({ readyWithinMs: 60_000 }), openReceiver()])
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    TOKEN: service.managementToken,
    BASE: service.url,
    MILLRACE_URL: service.url,
    MILLRACE_TOKEN: service.managementToken,
    MILLRACE_DATA: service.dataDir,
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_PORT: new URL(service.url).port,
  }

  const fillIn = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:4000', service.url)
      .replaceAll('https://logs.example.com', service.url)
      .replaceAll('https://example.com/in', `${receiver.url}/in`)
      .replaceAll('mr_…', service.managementToken)
      .replaceAll('Bearer …', 'Bearer of-the-receiver')
      .replaceAll('/var/lib/millrace', join(folder, 'var-lib-millrace'))
      .replaceAll('/mnt/backups', join(folder, 'backups'))
      .replaceAll(/\bcurl (?=-|http)/g, 'curl -sS --fail-with-body ')

  function run(script: string, options: Run = {}): Promise<Told> {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', fillIn(script)], {
      cwd: folder,
      env: { ...env, ...options.env },
      stdio: 'pipe',
      // A group of its own, so that what a script started can be ended with it.
      detached: true,
    })
    const told = { stdout: '', stderr: '' }
    let isOver = false
    const end = (): void => {
      isOver = true
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM')
    }
    const look = async (): Promise<void> => {
      if (!isOver && (await options.until?.(told.stdout + told.stderr)) && !isOver) end()
    }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        told[name] += text
        void look()
      })
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    const deadline = setTimeout(end, ENDS_WITHIN_MS)
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => {
        clearTimeout(deadline)
        resolve({ code, ...told })
      })
    })
  }

  let hasOwner = false
  return {
    service,
    receiver,
    folder,
    fillIn,
    async sh(script, options = {}) {
      const { code, stdout, stderr } = await run(script, options)
      if (!options.until && code !== 0) throw new Error(`ended with ${code}:\n${script}\n${stdout}\n${stderr}`)
      if (options.until && !(await options.until(stdout + stderr)))
        throw new Error(`never came to it:\n${script}\n${stdout}\n${stderr}`)
      return stdout
    },
    async owner() {
      if (hasOwner) return
      const person = { email: 'ada@example.com', name: 'Ada', password: 'at least ten characters' }
      await json(await post(service, '/api/setup', { ...person, token: service.managementToken }))
      hasOwner = true
    },
    async stop() {
      await receiver.stop()
      await service.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A port for a second service. */
export const aPort = async (): Promise<string> => String(await freePort())
