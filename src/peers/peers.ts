/**
 * Peers: the other nodes that share the catalog. This node tells them where it is, knows which of them live and can be
 * reached, and asks them for what only they have.
 *
 * Promises: who is asked answers of itself and asks nobody else; a peer that cannot be reached costs `ASK_MS` at most, and is
 * named in the health of this node. Without peers nothing is sent.
 * Refuses: requests that are not signed with the key of the deployment.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { Node, Nodes } from '../catalog/shared/nodes.ts'
import { isLocal } from './address.ts'
import { createSignatures, SIGNATURE_HEADER } from './signature.ts'

export type Peer = Pick<Node, 'id' | 'token' | 'address' | 'position' | 'started_at'>

export type Peers = {
  /** The number of this node. */
  readonly id: number
  /** The other nodes that live, as far as is known. */
  live(): Peer[]
  /** Those that do not, too. */
  known(): Peer[]
  byToken(token: string): Peer | null
  /** Whether a request comes from a peer: throws `unauthorized`. */
  assertPeer(request: { headers: Record<string, unknown>; method: string; url: string }): void
  /** What a peer answers. Rejects when it does not within `ASK_MS`, or answers something else than 200. */
  ask(peer: Peer, path: string): Promise<{ body: Buffer; headers: IncomingMessage['headers'] }>
  /** A stream of bytes that ends when it is over, or with the signal. */
  open(peer: Peer, path: string, signal: AbortSignal): Promise<IncomingMessage>
  health(): PeersHealth
  /** Registers where it listens, and begins to look for the others. */
  start(address: string): Promise<void>
  /** Looks at the others now. */
  look(): Promise<void>
  stop(): Promise<void>
}

export type PeersHealth = { live: number; unreachable: { address: string; reason: string }[]; warning: string | null }

type Parts = {
  nodes: Nodes
  /** The token of this node, kept in its data folder. */
  token: string
  version: string
  /** The end of its journal. */
  position: number
  secretKey: Buffer
  clock: Clock
  warn(text: string): void
  /** Told after each look. */
  onLooked?(): void
}

const LOOK_MS = 3_000
const ASK_MS = 3_000
const ANSWER_BYTES = 64 * 1024 * 1024
export const HELLO = '/internal/hello'

export async function createPeers(parts: Parts): Promise<Peers> {
  const { nodes, token, version, position, secretKey, clock, warn, onLooked = () => {} } = parts
  const signatures = createSignatures({ secretKey, nowMs: clock.nowMs })
  const id = await nodes.numberOf(token)
  let address = ''
  let known: Node[] = []
  let others: Node[] = []
  let timer: NodeJS.Timeout | null = null
  let looking: Promise<void> | null = null
  let isStopped = false
  /** By token: why it cannot be reached. */
  const unreachable = new Map<string, string>()
  let isTold = { copied: false, local: false, lost: false }

  function send(peer: Peer, path: string, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { [SIGNATURE_HEADER]: signatures.sign('GET', path) }
      const url = new URL(path, peer.address)
      const begin = url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = begin(url, { headers, signal, agent: false })
      request.once('error', reject)
      request.once('response', (response) => {
        response.on('error', () => {})
        if (response.statusCode === 200) return resolve(response)
        readAll(response).then(
          ({ body }) => reject(new Error(`${response.statusCode} ${body.toString('utf8').slice(0, 200)}`)),
          reject,
        )
      })
      request.end()
    })
  }

  async function greet(peer: Node): Promise<void> {
    try {
      const { body } = await ask(peer, HELLO)
      const { token: answered } = JSON.parse(body.toString('utf8'))
      if (answered !== peer.token) throw new Error('another node answers there')
      unreachable.delete(peer.token)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!unreachable.has(peer.token))
        warn(`The node at ${peer.address} cannot be reached: ${reason}. Live tail and sums go without it.`)
      unreachable.set(peer.token, reason)
    }
  }

  async function ask(peer: Peer, path: string): ReturnType<Peers['ask']> {
    return readAll(await send(peer, path, AbortSignal.timeout(ASK_MS)))
  }

  async function lookNow(): Promise<void> {
    const isMine = await nodes.seen({ token, address })
    known = (await nodes.list()).filter((node) => node.token !== token)
    others = known.filter(({ isLive }) => isLive)
    isTold.lost = false
    for (const known of unreachable.keys())
      if (!others.some((other) => other.token === known)) unreachable.delete(known)
    await Promise.all(others.map(greet))
    if (!isMine) {
      if (!isTold.copied)
        warn(
          'Another process registered as this node: a data folder was copied. Remove the file node.id from one copy.',
        )
      isTold.copied = true
    }
    const isStrange = isLocal(address) && others.some((other) => !isLocal(other.address))
    if (isStrange && !isTold.local) warn(LOCAL)
    isTold = { ...isTold, local: isStrange }
    onLooked()
  }

  function look(): Promise<void> {
    looking ??= lookNow()
      .catch((error: unknown) => {
        if (!isTold.lost && !isStopped) warn(`Other nodes could not be looked for: ${String(error)}`)
        isTold.lost = true
      })
      .finally(() => {
        looking = null
      })
    return looking
  }

  return {
    id,
    live: () => others,
    known: () => known,
    byToken: (wanted) => others.find((other) => other.token === wanted) ?? null,
    assertPeer({ headers, method, url }) {
      const objection = signatures.objection(headers[SIGNATURE_HEADER], method, url)
      if (objection !== null) throw new Fault('unauthorized', objection)
    },
    ask,
    open: send,
    health: () => ({
      live: others.length + 1,
      unreachable: others.flatMap((other) => {
        const reason = unreachable.get(other.token)
        return reason === undefined ? [] : [{ address: other.address, reason }]
      }),
      warning: isTold.local ? LOCAL : null,
    }),
    async start(at) {
      address = at
      await nodes.register({ token, address, version, position })
      await look()
      timer = setInterval(look, LOOK_MS)
      timer.unref()
    },
    look,
    async stop() {
      isStopped = true
      if (timer) clearInterval(timer)
      await looking
      if (address !== '') await nodes.leave(token).catch(() => {})
    },
  }
}

const LOCAL =
  'Other nodes run on other machines and cannot reach this one, as its address is for this machine only. ' +
  'Set MILLRACE_HOST, or MILLRACE_NODE_ADDRESS to the address where they reach it.'

async function readAll(response: IncomingMessage): Promise<{ body: Buffer; headers: IncomingMessage['headers'] }> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES) throw new Error(`the answer is over ${ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return { body: Buffer.concat(chunks), headers: response.headers }
}
