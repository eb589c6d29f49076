/**
 * The thread that receives datagrams. It does nothing else, so that the socket is emptied while the service works: what
 * does not fit the system's buffer is lost. Sends on bunches of messages, and goes on when it is told they are stored.
 */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createGather } from './gather.ts'
import { RECEIVE_BUFFER_BYTES } from './limits.ts'
import { type FromThread, isToThread, RECEIVED, readStart, SHED } from './thread.ts'

const { host, port, counters } = readStart(workerData)
const counts = new Float64Array(counters)
const waiting: (() => void)[] = []

const gather = createGather({
  take: ({ bytes, ends }) => {
    const sent = Uint32Array.from(ends)
    post({ kind: 'messages', bytes, ends: sent }, [bytes.buffer, sent.buffer])
    return new Promise((resolve) => waiting.push(resolve))
  },
})

const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' })
socket.on('message', (datagram) => {
  counts[RECEIVED]!++
  if (gather.isFull) counts[SHED]!++
  else gather.add(datagram, 0, datagram.length)
})
socket.on('error', (error) => post({ kind: 'failed', code: 'code' in error ? String(error.code) : error.message }))
socket.bind({ address: host, port }, () => {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
  } catch {
    // A system that refuses gives what it has.
  }
  post({ kind: 'listening', port: socket.address().port, bufferBytes: socket.getRecvBufferSize() })
})

parentPort?.on('message', (message: unknown) => {
  if (!isToThread(message)) return
  // Stored in the order they were sent on.
  if (message === 'stored') waiting.shift()?.()
  else {
    socket.close()
    void gather.settle().then(() => parentPort?.close())
  }
})

function post(message: FromThread, transfer: ArrayBufferLike[] = []): void {
  parentPort?.postMessage(
    message,
    transfer.filter((each) => each instanceof ArrayBuffer),
  )
}
