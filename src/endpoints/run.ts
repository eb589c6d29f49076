/**
 * A query of an endpoint, from the request to the rows: which definition, whose query, out of the cache or not.
 *
 * Promises: rows of this endpoint's account only, at most its `max_limit`; equal requests share one query and one kept
 * answer; values of parameters are bound; a caller's own query sees the endpoint's WITH queries and nothing else.
 * Refuses: an unknown version, a query of the caller's where sandboxing is off, and whatever the read flow refuses.
 * Who may ask at all is decided before.
 */
import type { Stores } from '../backends/stores.ts'
import { Fault } from '../base/faults.ts'
import type { Endpoint } from '../model/endpoint.ts'
import type { Answer, Rows } from '../query/answer.ts'
import type { AnswerNative } from '../query/native.ts'
import type { QueryRecorder } from '../query/recorder.ts'
import { type Answered, answered } from './answered.ts'
import type { Cache, Loaded } from './cache.ts'
import type { Call } from './call.ts'
import type { Compose } from './compose.ts'
import { cacheKey } from './key.ts'
import { type Labels, resolveLabels } from './labels.ts'
import { type Override, overrideOf } from './override.ts'
import { backendOf, nativeQuery, reservationOf } from './place.ts'
import type { Numbered, Versions } from './versions.ts'

export type Run = (call: Call) => Promise<Answered>

/** Only what is in memory already; null when a query would have to run. */
export type Kept = (call: Call) => Answered | null

export type RunParts = {
  answer: Answer
  /** For endpoints that run on a backend. */
  native: AnswerNative
  stores: Pick<Stores, 'first'>
  compose: Compose
  versions: Versions
  cache: Cache<Answered>
  recorder: QueryRecorder
  /** The endpoint as it is defined now; null when it is gone. */
  current(token: string): Promise<Endpoint | null>
  timeoutMs: number
}

export function createRun(parts: RunParts): { run: Run; kept: Kept } {
  const { answer, native, stores, compose, versions, cache, recorder, current, timeoutMs } = parts

  async function run(call: Call): Promise<Answered> {
    const override = overrideOf(call.endpoint, call)
    return kept(call) ?? find(call, cacheKey(call), override)
  }

  function kept(call: Call): Answered | null {
    overrideOf(call.endpoint, call)
    const found = cache.peek(cacheKey(call))
    if (found) noteHit(call, found)
    return found
  }

  async function find(call: Call, key: string, override: Override | null): Promise<Answered> {
    const { endpoint } = call
    const definition = await versions.pick(endpoint, call.version)
    const ask = (kind: 'endpoint' | 'requery') => (signal: AbortSignal) =>
      query({ call, definition, override, kind, signal })
    const lifeMs = definition.cache_duration_seconds * 1000
    const signal = call.signal()
    if (lifeMs === 0) return (await ask('endpoint')(signal)).value
    const requery = async (within: AbortSignal) =>
      (await current(endpoint.token))?.version === endpoint.version ? ask('requery')(within) : null
    const keep = { lifeMs, requeryMs: definition.proactive_requerying_seconds * 1000 }
    return cache.fill(key, keep, ask('endpoint'), requery, signal)
  }

  async function query({ call, definition, override, kind, signal }: Asked): Promise<Loaded<Answered>> {
    const { endpoint, values } = call
    const labels = labelsOf(call, definition)
    const note = (outcome: Partial<Rows['cost']> & { error: string | null }): void =>
      recorder.note(endpoint.account_id, { ...logged(call, labels), kind, ...costOf(outcome) })
    const accountId = endpoint.account_id
    const asked = {
      accountId,
      values,
      labels,
      requireTimestamp: false,
      maxRows: definition.max_limit,
      timeoutMs,
      signal,
    }
    try {
      const backendId = await backendOf(definition, accountId, stores)
      const composition = compose(endpoint.id, definition, override)
      const rows =
        backendId === null
          ? await answer({ ...asked, query: composition, isSandboxed: override !== null })
          : await native({
              ...asked,
              ...nativeQuery(definition, override),
              ...reservationOf(call, definition),
              query: composition,
              backendId,
            })
      note({ ...rows.cost, error: null })
      return {
        value: answered(rows, definition.labels),
        bytes: 2 * rows.json.length,
        uses: [endpoint.token, ...rows.sources],
      }
    } catch (error) {
      note({ error: error instanceof Fault ? error.message : 'internal error' })
      throw error
    }
  }

  /** Not to slow down what is fast: lines of the log that would be equal are counted, not written. */
  function noteHit(call: Call, { rows, labels: allowed }: Answered): void {
    const { endpoint, version, token } = call
    const labels = allowed === null && version === null ? null : labelsOf(call, { labels: allowed })
    const key = `${endpoint.token} ${version ?? ''} ${token ?? ''} ${labels ? JSON.stringify(labels) : ''}`
    recorder.noteHit(key, () => ({
      accountId: endpoint.account_id,
      query: { ...logged(call, labels ?? {}), kind: 'endpoint', ...costOf({ rows, error: null }), cached: true },
    }))
  }

  return { run, kept }
}

type Asked = {
  call: Call
  definition: Numbered
  override: Override | null
  kind: 'endpoint' | 'requery'
  signal: AbortSignal
}

const labelsOf = ({ labels, values, version }: Call, { labels: allowed }: { labels: string | null }): Labels =>
  resolveLabels(allowed, { header: labels, values, version })

const logged = ({ endpoint, version, token }: Call, labels: Labels) => ({
  endpoint: endpoint.token,
  version: version ?? endpoint.version,
  labels,
  token,
  cached: false,
})

const costOf = ({ rows = 0, bytesScanned = 0, ms = 0, error }: Partial<Rows['cost']> & { error: string | null }) => ({
  rows,
  bytes_scanned: bytesScanned,
  ms,
  error,
})
