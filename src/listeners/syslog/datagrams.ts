import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Messages } from '../../ingest/formats/syslog/messages.ts'
import { listenFault } from '../listen-fault.ts'
import { type FromThread, RECEIVED, SHED, type Start, type ToThread } from './thread.ts'

const ENTRY = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './receive.ts' : './receive.js', import.meta.url))

export type Datagrams = {
  start(host: string, port: number): Promise<void>
  stop(): Promise<void>
  readonly received: number
  /** Given up as too many waited to be stored. */
  readonly shed: number
  /** Given up by the system as its buffer was full; 0 where it does not say. */
  lost(): number
}

type Parts = {
  take(messages: Messages): Promise<void>
  /** The socket or its thread failed after it was started. */
  onError(error: unknown): void
}

/** Syslog over UDP: one message a datagram. Nobody can be told to wait, so what is too much is shed and counted. */
export function createDatagrams({ take, onError }: Parts): Datagrams {
  const counters = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)
  const counts = new Float64Array(counters)
  let worker: Worker | null = null
  let boundPort = 0

  const tell = (message: ToThread): void => worker?.postMessage(message)

  /** One after the other, so that what is told as stored is the first. */
  let queue = Promise.resolve()
  function onMessages({ bytes, ends }: { bytes: Uint8Array; ends: Uint32Array }): void {
    const taken = take({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ends })
    queue = queue.then(() => taken).then(() => tell('stored'))
  }

  return {
    async start(host, port) {
      const start: Start = { host, port, counters }
      const thread = new Worker(ENTRY, { workerData: start, stdout: false, stderr: false })
      worker = thread
      boundPort = await new Promise<number>((resolve, reject) => {
        thread.on('error', (error) => {
          if (boundPort > 0) onError(error)
          reject(error)
        })
        thread.on('message', (message: FromThread) => {
          if (message.kind === 'listening') resolve(message.port)
          else if (message.kind === 'messages') onMessages(message)
          else if (boundPort > 0) onError(new Error(message.code))
          else reject(listenFault(message.code, host, port, 'MILLRACE_SYSLOG_PORT'))
        })
      })
    },
    async stop() {
      if (!worker) return
      const ended = once(worker, 'exit')
      tell('stop')
      await ended
      worker = null
    },
    get received() {
      return counts[RECEIVED]!
    },
    get shed() {
      return counts[SHED]!
    },
    lost: () => lostBySystem(boundPort),
  }
}

/** Linux counts the datagrams each socket had no room for, in the last column. */
function lostBySystem(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  let lost = 0
  for (const file of ['/proc/net/udp', '/proc/net/udp6'])
    for (const line of textOf(file).split('\n')) {
      const columns = line.trim().split(/\s+/)
      if (columns[1]?.endsWith(end)) lost += Number(columns.at(-1)) || 0
    }
  return lost
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
