/**
 * Starts the built service as its users do and speaks to it from outside: a process, a data folder, an address, a token.
 * Waits for `/ready`, keeps what the service printed, and can kill it at any moment and start it again on the same data.
 * Refuses to start when nothing is built. Never reaches into the service's own code.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type ServiceOptions = {
  /** Added to a clean environment; `MILLRACE_*` of the caller's shell does not leak in. */
  env?: Record<string, string>
  /** A data folder to use and keep; without it a temporary one is made, and removed by `remove()`. */
  dataDir?: string
  readyWithinMs?: number
  /** The program to run; default is the built service. */
  program?: string[]
}

export type Service = {
  readonly url: string
  readonly dataDir: string
  readonly managementToken: string
  readonly pid: number
  /** Milliseconds from the start of the process to the first `/ready` that said yes. */
  readonly readyMs: number
  /** All that was printed since the first start, both streams. */
  output(): string
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Sends the signal and waits for the end of the process; answers its exit code, or null when the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** Ends the process if it still runs (SIGTERM unless told otherwise) and starts it on the same data and address. */
  restart(signal?: NodeJS.Signals): Promise<void>
  /** Ends the process and removes the temporary data folder. */
  remove(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const TOKEN = /management token[^:\n]*:\s*([\w.~+/=-]{16,})/i

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'millrace-data-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = options.program ?? builtService()
  const env = environment({ MILLRACE_DATA: dataDir, MILLRACE_PORT: String(port), ...options.env })
  let printed = ''
  let child: ChildProcess
  let readyMs = 0

  async function start(): Promise<void> {
    const startedAt = performance.now()
    child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    const isReady = async (): Promise<boolean> => {
      if (hasEnded(child)) throw new Error(`the service ended before it was ready:\n${printed}`)
      return fetch(`${url}/ready`).then(
        (answer) => answer.ok,
        () => false,
      )
    }
    try {
      await until(isReady, options.readyWithinMs ?? 20_000, 10)
    } catch (error) {
      await end('SIGKILL')
      throw error instanceof Error && error.message.includes('ended before')
        ? error
        : new Error(`not ready:\n${printed}`)
    }
    readyMs = performance.now() - startedAt
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!hasEnded(child)) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await ended
    }
    return child.exitCode
  }

  const removeData = (): void => {
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  await start().catch((error: unknown) => {
    removeData()
    throw error
  })
  const token = env.MILLRACE_MANAGEMENT_TOKEN ?? TOKEN.exec(printed)?.[1] ?? ''

  return {
    url,
    dataDir,
    managementToken: token,
    get pid() {
      return child.pid ?? 0
    },
    get readyMs() {
      return readyMs
    },
    output: () => printed,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers)
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
      return fetch(url + path, { ...init, headers })
    },
    kill: end,
    restart: async (signal = 'SIGTERM') => {
      await end(signal)
      await start()
    },
    remove: async () => {
      await end('SIGKILL')
      removeData()
    },
  }
}

/** Starts the built service where it must refuse to: answers its exit code and what it said, or throws when it runs. */
export async function failToStart(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, builtService(), {
    env: environment({ MILLRACE_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', () => child.kill('SIGKILL'))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (child.signalCode === 'SIGKILL') throw new Error('the service started')
  return { code, stderr }
}

/** Waits for a condition instead of for a time; throws when it does not come true. */
export async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 30_000, everyMs = 20): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`the condition did not come true within ${withinMs} ms`)
    await wait(everyMs)
  }
}

function builtService(): string[] {
  const main = join(root, 'dist/main.js')
  if (!existsSync(main)) throw new Error('dist/main.js is missing: run `npm run build` first')
  return [main, 'serve']
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** A clean environment with these names on top. */
function environment(own: Record<string, string>): Record<string, string | undefined> {
  return { ...withoutOwnNames(process.env), MILLRACE_HOST: '127.0.0.1', ...own }
}

function withoutOwnNames(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MILLRACE|LOGFLARE)_|^DATABASE_URL$/.test(name)))
}

/** A port nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
