/** What the thread that receives datagrams and the service say to each other. */
export type Start = { host: string; port: number; counters: SharedArrayBuffer }

export type FromThread =
  | { kind: 'listening'; port: number; bufferBytes: number }
  | { kind: 'failed'; code: string }
  | { kind: 'messages'; bytes: Uint8Array; ends: Uint32Array }

/** `stored`: the first of the bunches sent on needs no more room. `stop`: send on what is there, and end. */
export type ToThread = 'stored' | 'stop'

/** Places in the counters, which are doubles that only the thread writes. */
export const RECEIVED = 0
export const SHED = 1

export const isToThread = (message: unknown): message is ToThread => message === 'stored' || message === 'stop'

export function readStart(data: unknown): Start {
  if (typeof data !== 'object' || data === null || !('host' in data && 'port' in data && 'counters' in data))
    throw new Error('this file is the entry of a thread')
  const { host, port, counters } = data
  if (typeof host !== 'string' || typeof port !== 'number' || !(counters instanceof SharedArrayBuffer))
    throw new Error('the thread was started with something else')
  return { host, port, counters }
}
