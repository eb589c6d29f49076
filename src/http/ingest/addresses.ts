import { parse } from 'node:querystring'
import { isUuid } from '../../base/ids.ts'
import type { Format } from '../../ingest/formats/format.ts'
import { formats } from '../../ingest/formats/formats.ts'
import { presentPath } from '../aliases.ts'
import { type Acks, createAcks } from './acks.ts'
import { querySource, type SourceName } from './named-source.ts'
import { datadog } from './protocols/datadog.ts'
import { elastic } from './protocols/elastic.ts'
import { loki } from './protocols/loki.ts'
import { createOtlp } from './protocols/otlp.ts'
import { own } from './protocols/own.ts'
import type { Protocol } from './protocols/protocol.ts'
import { createSplunk } from './protocols/splunk.ts'
import { createVercel } from './protocols/vercel.ts'

/** What a request's address says: format and protocol, the source if it names one, and the rest of its query. */
export type Address = Way & { named: SourceName | null; query: Record<string, unknown>; inPath: string | null }

type Way = { format: Format; protocol: Protocol }

type Parts = { vercelSecret: string | null; acks: Acks }

const OWN: [string, Format][] = [
  ['/api/logs', formats.logs],
  ['/api/logs/cloud-event', formats['cloud-event']],
  ['/api/logs/edge', formats.edge],
  ['/api/logs/json', formats.json],
  ['/api/logs/browser/reports', formats.json],
  ['/api/logs/vector', formats.vector],
  ['/api/logs/netlify', formats.netlify],
  ['/api/logs/github', formats.github],
  ['/api/logs/typecasts', formats.typecasts],
  ['/api/logs/syslogs', formats.syslog],
  ['/api/logs/elixir/logger', formats.logs],
  ['/api/logs/fluent-bit', formats['fluent-bit']],
]

const PEERS: [string, Way][] = [
  ['/loki/api/v1/push', { format: formats.loki, protocol: loki }],
  ['/_bulk', { format: formats.elastic, protocol: elastic }],
  ['/v1/logs', { format: formats['otlp-logs'], protocol: createOtlp('rejectedLogRecords') }],
  ['/v1/traces', { format: formats['otlp-traces'], protocol: createOtlp('rejectedSpans') }],
  ['/v1/metrics', { format: formats['otlp-metrics'], protocol: createOtlp('rejectedDataPoints') }],
  ['/api/v2/logs', { format: formats.datadog, protocol: datadog }],
]

const SPLUNK: [string, Format][] = [
  ['/services/collector', formats.splunk],
  ['/services/collector/event', formats.splunk],
  ['/services/collector/event/1.0', formats.splunk],
  ['/services/collector/raw', formats['splunk-raw']],
  ['/services/collector/raw/1.0', formats['splunk-raw']],
]

/** Every path of ingest, without those of which a piece is the sender's own. */
const createPaths = ({ vercelSecret, acks }: Parts): Map<string, Way> => {
  const splunk = createSplunk(acks)
  return new Map<string, Way>([
    ...OWN.map(([path, format]): [string, Way] => [path, { format, protocol: own }]),
    ...SPLUNK.map(([path, format]): [string, Way] => [path, { format, protocol: splunk }]),
    ['/api/logs/vercel', { format: formats.vercel, protocol: createVercel(vercelSecret) }],
    ...PEERS,
  ])
}

/** Paths of which one piece is the sender's own, each with its name in the API description. */
const PATTERNS: [RegExp, Way, string][] = [
  [/^\/([^/]+)\/_bulk$/, { format: formats.elastic, protocol: elastic }, '/:index/_bulk'],
  [/^\/v1\/input\/([^/]+)$/, { format: formats.datadog, protocol: datadog }, '/v1/input/:key'],
]

/** Every address under its present name. */
export const INGEST_PATHS = [
  ...createPaths({ vercelSecret: null, acks: createAcks() }).keys(),
  ...PATTERNS.map(([, , path]) => path),
]

/** Senders use the same address again and again, so it is read once. */
const KEPT = 1_000

export type Addresses = { of(url: string): Address | null }

export function createAddresses(parts: Parts): Addresses {
  const paths = createPaths(parts)
  const known = new Map<string, Address>()

  function read(url: string): Address | null {
    const [path = '', query = ''] = split(presentPath(url))
    const found = wayOf(paths, path.endsWith('/') ? path.slice(0, -1) : path)
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

function wayOf(paths: Map<string, Way>, path: string): (Way & { inPath: string | null }) | null {
  const way = paths.get(path)
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
