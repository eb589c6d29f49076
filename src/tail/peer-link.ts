/**
 * One reader's stream from one other node. It is opened again as long as that node lives, where it broke off; what the
 * reader has to know of it is said once. It reads no faster than the reader does: then the other node skips, and counts.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Peer, Peers } from '../peers/peers.ts'
import { CONNECT_MS, LINK_AGAIN_MS, LOOK_FOR_ROOM_MS, QUEUE_BYTES } from './limits.ts'

export type PeerLink = {
  /** Resolves when it is open, or was found not to be. */
  readonly settled: Promise<void>
  close(): void
}

type Parts = {
  peers: Pick<Peers, 'open' | 'live'>
  peer: Peer
  /** The address of its stream, from where the reader is now. */
  path(wasLost: boolean): string
  /** Whole messages, as the node sent them. */
  take(messages: string[]): void
  queuedBytes(): number
  onLost(peer: Peer): void
  onBack(peer: Peer): void
}

/** More than the longest event with its frame. */
const MESSAGE_MAX = 4 * 1024 * 1024

export function openPeerLink({ peers, peer, path, take, queuedBytes, onLost, onBack }: Parts): PeerLink {
  const ending = new AbortController()
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  let isLost = false

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      // Its address may be another one when it comes back.
      const now = peers.live().find(({ id }) => id === peer.id)
      if (now) await read(now).catch(() => {})
      if (ending.signal.aborted) break
      if (!isLost) onLost(peer)
      isLost = true
      settle()
      await wait(LINK_AGAIN_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
    settle()
  }

  async function read(now: Peer): Promise<void> {
    const connecting = new AbortController()
    const tooLate = setTimeout(() => connecting.abort(), CONNECT_MS)
    const signal = AbortSignal.any([ending.signal, connecting.signal])
    const response = await peers.open(now, path(isLost), signal).finally(() => clearTimeout(tooLate))
    let rest = ''
    for await (const chunk of response.setEncoding('utf8')) {
      const messages = (rest + chunk).split('\n\n')
      rest = messages.pop() ?? ''
      if (rest.length > MESSAGE_MAX) throw new Error('a message of a node is too long')
      if (messages.some((message) => message.startsWith('event: end'))) return
      if (messages.length > 0) opened(now)
      take(messages)
      while (queuedBytes() > QUEUE_BYTES / 2 && !ending.signal.aborted) await wait(LOOK_FOR_ROOM_MS)
    }
  }

  function opened(now: Peer): void {
    if (isLost) onBack(now)
    isLost = false
    settle()
  }

  void follow()
  return {
    settled,
    close: () => ending.abort(),
  }
}
