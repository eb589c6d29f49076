/**
 * Keeps one engine process alive: starts it, starts it again when it dies, and tells whoever waited for an answer from
 * the dead one that it is gone. Ingest never waits for it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Fault } from '../base/faults.ts'
import { POOL_THREADS } from './engine/slots.ts'
import type { EngineStart, FromEngine, ToEngine } from './protocol.ts'
import { createWire, type Wire } from './wire.ts'

const ENTRY = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './engine/main.ts' : './engine/main.js', import.meta.url),
)
/** The engine's own JavaScript is light: a small young generation and one helper thread save it some megabytes. */
const ENGINE_FLAGS = ['--max-semi-space-size=1', '--v8-pool-size=1']
const QUICK_DEATH_MS = 5_000
const MAX_PAUSE_MS = 5_000
/** An engine that is busy longer is killed: it is made to be. */
const STOP_WAIT_MS = 2_500
/** A first engine that ends without a word (killed for its memory, say) is worth another try; one that says why is not. */
const START_RETRIES = 3

export type EngineProcess = {
  /** Resolves when the first engine is ready; rejects when it cannot start at all. */
  start(): Promise<void>
  /** Sends to the running engine; waits for it while it is being started again. */
  send(message: ToEngine, body?: Buffer): Promise<void>
  readonly restarts: number
  readonly isReady: boolean
  readonly pid: number | undefined
  stop(): Promise<void>
}

export function createEngineProcess({
  describe,
  onMessage,
  onDeath,
}: {
  /** The start message, made anew for every start. */
  describe(): EngineStart
  onMessage(message: FromEngine, body: Buffer): void
  onDeath(reason: string): void
}): EngineProcess {
  let child: ChildProcess | null = null
  let wire: Wire<ToEngine, FromEngine> | null = null
  let ready = Promise.withResolvers<void>()
  let isReady = false
  let wasEverReady = false
  let stopping = false
  let restarts = 0
  let pauseMs = 0
  ready.promise.catch(() => {})

  function launch(): void {
    const startedAt = Date.now()
    let failure: string | null = null
    const started = spawn(process.execPath, [...ENGINE_FLAGS, ENTRY], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(POOL_THREADS) },
    })
    child = started
    const stream = started.stdio[3] as Duplex
    const line = createWire<ToEngine, FromEngine>(stream)
    wire = line
    line.onMessage((message, body) => {
      if (message.op === 'ready') {
        isReady = true
        wasEverReady = true
        ready.resolve()
      } else if (message.op === 'failed') failure = message.reason
      else onMessage(message, body)
    })
    line.send({ op: 'start', start: describe() })
    started.once('exit', (code, signal) => {
      const hadBeenReady = isReady
      isReady = false
      if (stopping) return
      const reason = failure ?? `the engine process ended (${signal ?? `exit code ${code}`})`
      if (!wasEverReady && (failure !== null || restarts >= START_RETRIES)) {
        ready.reject(new Fault('setup', reason))
        return
      }
      if (hadBeenReady) ready = Promise.withResolvers<void>()
      ready.promise.catch(() => {})
      onDeath(reason)
      restarts += 1
      pauseMs = Date.now() - startedAt < QUICK_DEATH_MS ? Math.min(MAX_PAUSE_MS, pauseMs * 2 || 100) : 0
      setTimeout(() => {
        if (!stopping) launch()
      }, pauseMs)
    })
  }

  return {
    start() {
      launch()
      return ready.promise
    },
    async send(message, body) {
      await ready.promise
      wire?.send(message, body)
    },
    get restarts() {
      return restarts
    },
    get isReady() {
      return isReady
    },
    get pid() {
      return child?.pid
    },
    async stop() {
      if (stopping) return
      stopping = true
      const running = child
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      wire?.send({ op: 'stop' })
      const timer = setTimeout(() => running.kill('SIGKILL'), STOP_WAIT_MS)
      await gone
      clearTimeout(timer)
    },
  }
}
