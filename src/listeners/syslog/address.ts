import type { Messages } from '../../ingest/formats/syslog/messages.ts'

/** By whom, and for which source. */
export type Address = { token: string | null; source: string | null }

const MARK = '[millrace'

/** Our element of structured data, as RFC 5424 has them: the names, then values in quotes. */
const ELEMENT = /\[millrace(?:@\d+)?((?: (?:token|source)="[^"\\\]]{1,255}"){1,2})\]/
const VALUE = / (token|source)="([^"]*)"/g

/** The element stands behind the header; what comes far behind is text that looks like it. */
const HEAD_BYTES = 2_048

/** What is before structured data: priority, version and five words. */
const BEFORE = /^<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ (?:\[(?:[^\]\\]|\\.)*\])*$/

type Group = { address: Address; pieces: Buffer[]; refused: Map<number, string> }

/**
 * Messages by their address. `[millrace@32473 token="…" source="…"]` in a message's structured data is its own, and is
 * cut out before the message is stored, because nobody should find a token by searching; the others have the listener's.
 */
export function byAddress(messages: Messages, usual: Address): { address: Address; messages: Messages }[] {
  if (!messages.bytes.includes(MARK)) return [{ address: usual, messages }]
  const groups = new Map<string, Group>()
  const { bytes, ends, refused } = messages
  for (let i = 0, from = 0; i < ends.length; i++) {
    const to = ends[i]!
    const { address, piece } = opened(bytes.subarray(from, to), usual)
    const key = JSON.stringify([address.token, address.source])
    const group: Group = groups.get(key) ?? { address, pieces: [], refused: new Map() }
    groups.set(key, group)
    const reason = refused?.get(i)
    if (reason !== undefined) group.refused.set(group.pieces.length, reason)
    group.pieces.push(piece)
    from = to
  }
  return [...groups.values()].map(({ address, pieces, refused }) => {
    let end = 0
    const ends = pieces.map(({ length }) => {
      end += length
      return end
    })
    return { address, messages: { bytes: Buffer.concat(pieces), ends, refused } }
  })
}

function opened(message: Buffer, usual: Address): { address: Address; piece: Buffer } {
  const head = message.toString('latin1', 0, HEAD_BYTES)
  const found = ELEMENT.exec(head)
  if (!found || !BEFORE.test(head.slice(0, found.index))) return { address: usual, piece: message }
  const named: Record<string, string> = {}
  for (const [, name = '', value = ''] of found[1]!.matchAll(VALUE))
    named[name] = Buffer.from(value, 'latin1').toString('utf8')
  const end = found.index + found[0].length
  // Where it was the only element there must still be something: a dash.
  const isOnly = head[found.index - 1] === ' ' && head[end] !== '['
  const piece = Buffer.concat([message.subarray(0, found.index), Buffer.from(isOnly ? '-' : ''), message.subarray(end)])
  return { address: { token: named.token ?? usual.token, source: named.source ?? usual.source }, piece }
}
