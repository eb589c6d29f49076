import { parse } from 'node:querystring'
import type { Format } from '../../ingest/formats/format.ts'
import { formats } from '../../ingest/formats/formats.ts'
import { presentPath } from '../aliases.ts'
import { isUuid, querySource, type SourceName } from './named-source.ts'
import { own } from './protocols/own.ts'
import type { Protocol } from './protocols/protocol.ts'

/** What a request's address says: format and protocol, the source if it names one, and the rest of its query. */
export type Address = Way & { named: SourceName | null; query: Record<string, unknown>; inPath: string | null }

type Way = { format: Format; protocol: Protocol }

const PATHS = new Map<string, Way>([
  ['/api/logs', { format: formats.logs, protocol: own }],
  ['/api/logs/cloud-event', { format: formats['cloud-event'], protocol: own }],
  ['/api/logs/edge', { format: formats.edge, protocol: own }],
])

/** Paths of which one piece is the sender's own. */
const PATTERNS: [RegExp, Way][] = []

export const INGEST_PATHS = [...PATHS.keys()]

/** Senders use the same address again and again, so it is read once. */
const KEPT = 1_000

export function createAddresses(): { of(url: string): Address | null } {
  const known = new Map<string, Address>()

  function read(url: string): Address | null {
    const [path = '', query = ''] = split(presentPath(url))
    const found = wayOf(path.endsWith('/') ? path.slice(0, -1) : path)
    if (!found) return null
    const parsed: Record<string, unknown> = parse(query)
    return { ...found, named: sourceIn(parsed, found), query: parsed }
  }

  return {
    of(url) {
      const seen = known.get(url)
      if (seen) return seen
      const address = read(url)
      if (address) {
        if (known.size >= KEPT) known.clear()
        known.set(url, address)
      }
      return address
    },
  }
}

function split(url: string): [string, string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

function wayOf(path: string): (Way & { inPath: string | null }) | null {
  const way = PATHS.get(path)
  if (way) return { ...way, inPath: null }
  for (const [pattern, way] of PATTERNS) {
    const piece = pattern.exec(path)?.[1]
    if (piece !== undefined) return { ...way, inPath: decoded(piece) }
  }
  return null
}

function sourceIn(query: Record<string, unknown>, { protocol }: Way): SourceName | null {
  const named = querySource(query)
  return protocol.hasOwnSourceParameter && named && 'token' in named && !isUuid(named.token) ? null : named
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}
