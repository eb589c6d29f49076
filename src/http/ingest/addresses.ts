import { parse } from 'node:querystring'
import type { Format } from '../../ingest/formats/format.ts'
import { formats } from '../../ingest/formats/formats.ts'
import { presentPath } from '../aliases.ts'
import { querySource, type SourceName } from './named-source.ts'

/** What a request's address says: the format, the source if it names one, and the rest of its query. */
export type Address = { format: Format; named: SourceName | null; query: Record<string, unknown> }

const PATHS = new Map<string, Format>([
  ['/api/logs', formats.logs],
  ['/api/logs/cloud-event', formats['cloud-event']],
  ['/api/logs/edge', formats.edge],
])

export const INGEST_PATHS = [...PATHS.keys()]

/** Senders use the same address again and again, so it is read once. */
const KEPT = 1_000

export function createAddresses(): { of(url: string): Address | null } {
  const known = new Map<string, Address>()

  function read(url: string): Address | null {
    const [path = '', query = ''] = split(presentPath(url))
    const format = PATHS.get(path.endsWith('/') ? path.slice(0, -1) : path)
    if (!format) return null
    const parsed: Record<string, unknown> = parse(query)
    return { format, named: querySource(parsed), query: parsed }
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
