/**
 * Makes the log events of the benchmarks: about 400 bytes of JSON each, fields always in the same order, the same
 * events for the same numbers in every run. Time moves on evenly from `START_MS` with a little disorder, as it does
 * when several machines send. Some events carry planted values, at places that can be computed.
 */
import { createRandom, type Random } from './random.ts'

export const START_MS = Date.UTC(2026, 0, 1)
/** 2 million events are 12 hours, so that a histogram per minute stays below the 1000 rows of an answer. */
export const STEP_MS = 21.6

/** A word of its own, and a piece inside longer words; each in a few events only. */
export const RARE_WORD = 'kraken'
export const RARE_PIECE = 'ax7f3q'
export const TRACE_ID = 'c0ffee00c0ffee00c0ffee00c0ffee00'

const RARE_WORD_EVERY = 50_000
const RARE_PIECE_EVERY = 70_000
const TRACE_EVERY = 100_000

const isPlanted = (index: number, every: number): boolean => index % every === every >>> 1
const plantedAmong = (count: number, every: number): number => Math.floor((count + every - 1 - (every >>> 1)) / every)

/** How many of the first `count` events carry each planted value. */
export const planted = {
  rareWord: (count: number): number => plantedAmong(count, RARE_WORD_EVERY),
  rarePiece: (count: number): number => plantedAmong(count, RARE_PIECE_EVERY),
  trace: (count: number): number => plantedAmong(count, TRACE_EVERY),
}

const SERVICES = ['checkout', 'catalog', 'gateway', 'identity', 'mailer', 'payments', 'search', 'shipping', 'web']
const REGIONS = ['eu-west-1', 'eu-north-1', 'us-east-1', 'us-west-2', 'ap-south-1']
const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE']
const THINGS = ['orders', 'carts', 'users', 'items', 'invoices', 'sessions', 'reviews', 'coupons', 'parcels', 'refunds']
const PATHS = THINGS.flatMap((thing) => [
  `/v1/${thing}`,
  `/v1/${thing}/:id`,
  `/v1/${thing}/:id/history`,
  `/v2/${thing}`,
])
const PLANS = ['free', 'free', 'free', 'team', 'team', 'enterprise']
const CAUSES = [
  ...['cache miss for key', 'retrying after timeout from', 'connection reset by', 'slow query on shard'],
  ...['request completed by', 'token refreshed for', 'queue drained by worker', 'payload validated for'],
]

/** The event with this number. Every event has its own seed, so any range can be made without those before it. */
export function eventJson(index: number, id?: string): string {
  const random = createRandom(index)
  const atMs = START_MS + Math.floor(index * STEP_MS) + random.below(2000)
  const service = random.pick(SERVICES)
  const method = random.pick(METHODS)
  const path = random.pick(PATHS)
  const status = statusOf(random)
  const durationMs = durationOf(random)
  const host = `${service}-${random.below(24)}`
  const level = status >= 500 ? 'error' : status >= 400 ? 'warning' : random.below(10) === 0 ? 'debug' : 'info'
  const message = `${method} ${path.replace(':id', String(random.below(90_000)))} ${status} in ${durationMs} ms: ${cause(random, index)}`
  return (
    `{${id === undefined ? '' : `"id":"${id}",`}"timestamp":"${new Date(atMs).toISOString()}","message":"${message}",` +
    `"level":"${level}","service":"${service}","metadata":{"host":"${host}","region":"${random.pick(REGIONS)}",` +
    `"request":{"method":"${method}","path":"${path}","status":${status},"duration_ms":${durationMs},"bytes":${random.below(60_000)}},` +
    `"trace_id":"${isPlanted(index, TRACE_EVERY) ? TRACE_ID : hex32(random)}",` +
    `"user":{"id":"u_${random.below(200_000)}","plan":"${random.pick(PLANS)}"}}}`
  )
}

/** The end of the last event's second: all `count` events lie before it. */
export const endMs = (count: number): number => START_MS + Math.ceil(count * STEP_MS) + 2000

function statusOf(random: Random): number {
  const n = random.below(1000)
  if (n < 900) return n < 700 ? 200 : n < 820 ? 201 : 204
  if (n < 980) return random.pick([400, 401, 403, 404, 404, 404, 409, 422])
  return random.pick([500, 502, 503, 503, 504])
}

/** Most requests are quick, a few take seconds. */
function durationOf(random: Random): number {
  const n = random.below(1000)
  if (n < 850) return 2 + random.below(60)
  return n < 980 ? 60 + random.below(700) : 700 + random.below(8000)
}

function cause(random: Random, index: number): string {
  const word = isPlanted(index, RARE_WORD_EVERY) ? ` released the ${RARE_WORD} again` : ''
  const piece = isPlanted(index, RARE_PIECE_EVERY) ? ` blob z${RARE_PIECE}9d` : ''
  return `${random.pick(CAUSES)} ${shortHex(random)}-${shortHex(random)}${word}${piece}`
}

const shortHex = (random: Random): string => random.next32().toString(16).padStart(8, '0')
const hex32 = (random: Random): string => shortHex(random) + shortHex(random) + shortHex(random) + shortHex(random)
