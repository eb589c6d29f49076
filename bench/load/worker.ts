/**
 * The load process. It makes all requests before the clock starts, then keeps every connection busy with one request
 * at a time, and reports at the end. It runs beside the service on the same cores, so it does as little as it can:
 * raw sockets, bytes that already exist, answers read only as far as needed.
 */
import { connect, type Socket } from 'node:net'
import { processTree } from '../machine.ts'
import { createAnswerReader } from './answers.ts'
import type { FromWorker, LoadJob, LoadResult, ToWorker } from './job.ts'
import { type PreparedRequest, prepareRequests } from './requests.ts'

type Prepared = { job: LoadJob; requests: PreparedRequest[]; sockets: Socket[] }

async function prepare(job: LoadJob): Promise<Prepared> {
  const requests = prepareRequests(job)
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job)))
  return { job, requests, sockets }
}

function open({ host, port }: LoadJob): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket)).once('error', reject)
  })
}

function send({ job, requests, sockets }: Prepared): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const victims = job.killAtEnd === undefined ? [] : processTree(job.killAtEnd).reverse()
    const latencies = new Float64Array(requests.length)
    const tally = { events: 0, bytes: 0, refused: 0, refusal: null as string | null }
    let next = 0
    let answered = 0
    const cpuBefore = process.cpuUsage()
    const startedAt = performance.now()

    const finish = (): void => {
      const seconds = (performance.now() - startedAt) / 1000
      for (const pid of victims) process.kill(pid, 'SIGKILL')
      const cpu = process.cpuUsage(cpuBefore)
      for (const socket of sockets)
        socket
          .removeAllListeners()
          .on('error', () => {})
          .destroy()
      latencies.sort()
      const at = (share: number): number =>
        latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!
      resolve({
        ...tally,
        seconds,
        requests: answered,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: at(1),
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
      })
    }

    for (const socket of sockets) {
      let current: PreparedRequest | null = null
      let sentAt = 0
      const sendNext = (): void => {
        current = requests[next++] ?? null
        if (!current) return
        sentAt = performance.now()
        socket.write(current.bytes)
      }
      const onAnswer = ({ status, body }: { status: number; body: string }): void => {
        if (!current) throw new Error('an answer to no request')
        latencies[answered++] = performance.now() - sentAt
        if (status < 300) {
          tally.events += current.events
          tally.bytes += current.bodyBytes
        } else {
          tally.refused += 1
          tally.refusal ??= `${status} ${body.slice(0, 300)}`
        }
        if (answered === requests.length) finish()
        else sendNext()
      }
      const read = createAnswerReader(onAnswer)
      socket.on('data', (piece: Buffer) => {
        try {
          read(piece)
        } catch (error) {
          reject(error)
        }
      })
      socket.on('error', reject).on('close', () => reject(new Error('the service closed a connection')))
      sendNext()
    }
  })
}

const answer = (message: FromWorker): void => {
  process.send?.(message)
}

let prepared: Prepared | null = null

process.on('message', async (message: ToWorker) => {
  try {
    if (message.kind === 'prepare') {
      prepared = await prepare(message.job)
      answer({ kind: 'prepared' })
    } else if (prepared) {
      answer({ kind: 'done', result: await send(prepared) })
      process.disconnect?.()
    }
  } catch (error) {
    answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    process.disconnect?.()
  }
})
