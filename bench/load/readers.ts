/**
 * The process of live readers: opens streams, takes what comes, and tells how long events took from their durable
 * answer to each stream. Raw sockets, and bytes are looked into only while that is measured.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export type ReadersJob = { url: string; sourceToken: string; token: string; readers: number }

export type ToReaders = { kind: 'open'; job: ReadersJob } | { kind: 'measure'; events: number; everyMs: number }

export type Delivery = { delivered: number; expected: number; p50Ms: number; p99Ms: number; maxMs: number }

export type FromReaders =
  | { kind: 'opened' }
  | { kind: 'measured'; delivery: Delivery }
  | { kind: 'failed'; reason: string }

const NUMBER = /"n":(\d+)/g
const LAST_EVENTS_MS = 1_000

let onText: ((text: string) => void) | null = null
let job: ReadersJob | null = null

async function open(asked: ReadersJob): Promise<void> {
  job = asked
  const { hostname, port } = new URL(asked.url)
  const head = `GET /api/sources/${asked.sourceToken}/tail HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${asked.token}\r\n\r\n`
  await Promise.all(Array.from({ length: asked.readers }, () => openStream(hostname, Number(port), head)))
}

/** Resolves when the stream is live. */
function openStream(host: string, port: number, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(head)).once('error', reject)
    let begun = ''
    socket.on('data', (bytes) => {
      if (onText !== null) onText(bytes.toString('latin1'))
      if (begun === 'yes') return
      begun += bytes.toString('latin1')
      if (!begun.startsWith('HTTP/1.1 200')) reject(new Error(begun.slice(0, 200)))
      if (!begun.includes('\nid: ')) return
      begun = 'yes'
      resolve(socket)
    })
  })
}

async function measure(events: number, everyMs: number): Promise<Delivery> {
  if (!job) throw new Error('no streams are open')
  const { url, sourceToken, token, readers } = job
  const arrivals: { n: number; atMs: number }[] = []
  const answeredMs: number[] = []
  onText = (text) => {
    const atMs = performance.now()
    for (const [, n] of text.matchAll(NUMBER)) arrivals.push({ n: Number(n), atMs })
  }
  for (let n = 0; n < events; n++) {
    const answer = await fetch(`${url}/api/logs?source=${sourceToken}`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'measured', n }),
    })
    answeredMs[n] = performance.now()
    await answer.text()
    await wait(everyMs)
  }
  await wait(LAST_EVENTS_MS)
  onText = null
  // An event can be in a stream before the sender has read its answer.
  const tookMs = arrivals.map(({ n, atMs }) => Math.max(0, atMs - answeredMs[n]!)).sort((a, b) => a - b)
  const at = (share: number): number => tookMs[Math.floor((tookMs.length - 1) * share)] ?? Number.NaN
  return { delivered: tookMs.length, expected: events * readers, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}

async function obey(message: ToReaders): Promise<FromReaders> {
  if (message.kind === 'measure') return { kind: 'measured', delivery: await measure(message.events, message.everyMs) }
  await open(message.job)
  return { kind: 'opened' }
}

process.on('message', (message: ToReaders) => {
  obey(message)
    .catch((error: Error): FromReaders => ({ kind: 'failed', reason: error.message }))
    .then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit(0))
