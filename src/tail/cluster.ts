/**
 * Live tail over all nodes: a reader of one node also gets what others take. The reader's node opens a stream at each of
 * them (one hop: they answer of themselves), and merges what comes.
 *
 * Promises: the events of each node in their order; a reader that comes back, to whichever node, goes on where it was in
 * every journal; a node that is lost is told, and so is what was missed. A node that joins or comes back while the reader
 * watches is read from where the reader was, or from its start.
 * Refuses what live tail of one node refuses. A stream counts as a reader at every node.
 */
import type { Peer, Peers } from '../peers/peers.ts'
import { CHECK_MS } from './limits.ts'
import { cursorMessage, helloMessage, nodeMessage } from './messages.ts'
import { openPeerLink, type PeerLink } from './peer-link.ts'
import { type Places, printPlaces, readPlaces } from './places.ts'
import type { Stream } from './reader.ts'
import type { Tail, Tailing } from './tail.ts'

/** No cursor: whoever comes with it is told that an unknown number is missing, and goes on with what happens now. */
const UNKNOWN = 'unknown'

export const TAIL_OF_ONE = '/internal/tail'

type Parts = { tail: Tail; peers: Pick<Peers, 'id' | 'live' | 'known' | 'open'> }

export function createClusterTail({ tail, peers }: Parts): Tail {
  const merges = new Set<Merge>()
  let timer: NodeJS.Timeout | null = null

  function enter(merge: Merge): void {
    merges.add(merge)
    timer ??= setInterval(() => {
      for (const one of merges) one.look()
    }, CHECK_MS)
  }

  function leave(merge: Merge): void {
    merge.close()
    merges.delete(merge)
    if (merges.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    admit(tailing) {
      const { cursor } = tailing
      const places = cursor === null ? null : readPlaces(cursor)
      const own = cursor === null ? null : (places?.get(peers.id) ?? UNKNOWN)
      const begin = tail.admit({ ...tailing, cursor: own })
      return (stream) => {
        const merge = createMerge({ peers, tailing, places: places ?? new Map(), stream, onEnd: () => leave(merge) })
        enter(merge)
        const leaveOwn = begin(merge.own)
        return () => {
          leaveOwn()
          leave(merge)
        }
      }
    },
    endSource: tail.endSource,
    get readers() {
      return tail.readers
    },
    stop: tail.stop,
  }
}

type Merge = { own: Stream; look(): void; close(): void }

type MergeParts = { peers: Parts['peers']; tailing: Tailing; places: Places; stream: Stream; onEnd(): void }

function createMerge({ peers, tailing, places, stream, onEnd }: MergeParts): Merge {
  const links = new Map<number, PeerLink>()
  const isResumed = tailing.cursor !== null
  /** Those that were there when the reader came; who comes later is read from its start. */
  const first = new Set(peers.live().map(({ id }) => id))
  let isClosed = false

  const write = (text: string): void => {
    if (!isClosed && text !== '') stream.write(Buffer.from(text))
  }

  /** The cursor of one node becomes the places in all of them. */
  const placed = (text: string, node: number): string =>
    text.replace(/^id: (.+)$/gm, (_, cursor: string) => {
      places.set(node, cursor)
      return `id: ${printPlaces(places)}`
    })

  function cursorAt(peer: Peer, wasLost: boolean): string | null {
    const known = places.get(peer.id)
    if (known !== undefined) return known
    if (!first.has(peer.id)) return String(peer.position)
    return isResumed || wasLost ? UNKNOWN : null
  }

  function open(peer: Peer): void {
    const link = openPeerLink({
      ...{ peers, peer, queuedBytes: () => stream.queuedBytes },
      path(wasLost) {
        const cursor = cursorAt(peer, wasLost)
        const { token, retention_days } = tailing.source
        const asked = { source: token, retention_days: String(retention_days), lql: tailing.lql }
        return `${TAIL_OF_ONE}?${new URLSearchParams({ ...asked, ...(cursor === null ? {} : { cursor }) })}`
      },
      take: (messages) => write(messages.map((message) => passOn(message, peer.id)).join('')),
      onLost: ({ address }) => write(nodeMessage('lost', address)),
      onBack: ({ address }) => write(nodeMessage('back', address)),
    })
    links.set(peer.id, link)
  }

  function passOn(message: string, node: number): string {
    const isSign = message.startsWith(':')
    const text = placed(message, node)
    return isSign ? '' : `${text}\n\n`
  }

  /** A link to a node that is lost stays, and waits for it. */
  function look(): void {
    for (const peer of peers.live()) if (!links.has(peer.id)) open(peer)
  }

  function close(): void {
    isClosed = true
    for (const link of links.values()) link.close()
    links.clear()
  }

  look()
  // Nodes that the reader had events of and that do not live now: it is told so, and has the rest when they are back.
  for (const peer of peers.known()) if (places.has(peer.id) && !links.has(peer.id)) open(peer)
  // Who is told that it is live gets the events of all nodes from then on.
  Promise.all([...links.values()].map(({ settled }) => settled)).then(() => {
    write(helloMessage())
    if (places.size > 0) write(cursorMessage(printPlaces(places)))
  })

  return {
    own: {
      write(bytes) {
        const text = bytes.toString('utf8')
        write(text === helloMessage() ? '' : placed(text, peers.id))
      },
      get queuedBytes() {
        return stream.queuedBytes
      },
      end() {
        onEnd()
        stream.end()
      },
      destroy() {
        onEnd()
        stream.destroy()
      },
    },
    look,
    close,
  }
}
