/**
 * The read flow on a backend: a statement in the engine's own dialect comes in, finished JSON rows go out. What
 * `answer.ts` promises holds here too, with the guard of `sql/native` as the first fence (`bigquery.ts` has that of
 * warehouse SQL) and the engine's read-only mode, time-out and limit of rows as the second; and nothing past its
 * retention is returned.
 */
import type { BoundText, Store } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { withSourceNames } from '../backends/table-name.ts'
import { Fault } from '../base/faults.ts'
import type { QueryFacts } from '../model/endpoint.ts'
import { type Guarded, guardNative } from '../sql/native/guard.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import type { AnswerParts, Rows } from './answer.ts'
import { prepareBigquery } from './bigquery.ts'
import type { Values } from './bind.ts'
import { textOf } from './bound-text.ts'
import type { Composition } from './compose.ts'
import type { AccountNames } from './names.ts'

export type NativeQuestion = {
  accountId: number
  backendId: number
  sql: string
  /** What names meant when the query was saved; they still mean it after a source was renamed. */
  mapping?: Readonly<Record<string, string>>
  /** A caller's own query over the WITH queries of `sql`. */
  override?: { language: 'sql' | 'lql'; text: string }
  /** The same in warehouse SQL, for a backend that speaks it; `sql` as it stands when not given. */
  query?: Composition
  /** Where BigQuery should run it, as the caller says; nothing to others. */
  reservation?: string
  values: Values
  labels: Readonly<Record<string, string>>
  requireTimestamp: boolean
  maxRows: number
  timeoutMs: number
  signal?: AbortSignal
}

export type AnswerNative = (question: NativeQuestion) => Promise<Rows>

type Parts = Pick<AnswerParts, 'sql' | 'schemas' | 'names' | 'clock'> & { stores: Pick<Stores, 'ask'> }

const DAY_US = 86_400_000_000

export function createAnswerNative({ stores, names, ...parts }: Parts): AnswerNative {
  return async (question) => {
    const { accountId, backendId, labels, maxRows, timeoutMs, signal } = question
    const store = await stores.ask(accountId, backendId)
    const known = await names.of(accountId)
    const keptFromUs = (token: string): number => parts.clock.nowMs() * 1000 - known.retentionDays(token) * DAY_US
    const { dialect } = store
    const { sources, ...statement } =
      dialect === 'bigquery'
        ? prepareBigquery(question, known, { ...parts, store, keptFromUs })
        : { ...prepareNative(question, known, { store, dialect, keptFromUs }), timeoutMs }
    try {
      const { json, cost } = await store.query({ ...statement, labels, maxRows }, signal)
      return { json, cost, sources }
    } catch (error) {
      throw readableFault(error, known.sourceName)
    }
  }
}

export type PreparedNative = Pick<Guarded, 'text' | 'sources'> & { values: BoundText[] }

type Asked = Pick<NativeQuestion, 'sql' | 'mapping' | 'override' | 'values' | 'requireTimestamp'>

export function prepareNative(
  { sql, mapping = {}, override, values, requireTimestamp }: Asked,
  known: AccountNames,
  {
    store,
    dialect,
    keptFromUs,
  }: { store: Pick<Store, 'table' | 'place'>; dialect: NativeDialect; keptFromUs(token: string): number },
): PreparedNative {
  const bound: BoundText[] = []
  const numbers = new Map<string, number>()
  const place = (name: string, type: string | null): string => {
    const value = textOf(Object.hasOwn(values, name) ? values[name] : undefined)
    const number = numbers.get(name) ?? bound.push(value)
    numbers.set(name, number)
    return store.place(number, value, type)
  }
  const table = (token: string, isFinal: boolean): string => store.table(token, keptFromUs(token), isFinal)
  const resolve = (name: string): string | undefined => sourceOf(name, mapping, known)
  const own = guardNative({ sql, dialect, resolve, table, place, requireTimestamp })
  if (override === undefined) return { text: own.text, sources: own.sources, values: bound }
  if (override.language === 'lql')
    throw new Fault('bad_request', 'This endpoint runs on a backend: send sql in its dialect instead of lql.')
  return { text: sandboxed(own, override.text, dialect, place), sources: own.sources, values: bound }
}

/** What saving finds out about a statement, without an engine. */
export function nativeFacts(
  sql: string,
  dialect: NativeDialect,
  known: AccountNames,
  mapping: Readonly<Record<string, string>> = {},
): QueryFacts {
  const found = new Map<string, string>()
  const { parameters } = guardNative({
    ...{ sql, dialect, requireTimestamp: false, table: () => 't', place: () => '1' },
    resolve(name) {
      const token = known.sourceToken(name) ?? sourceOf(name, mapping, known)
      if (token !== undefined) found.set(name, token)
      return token
    },
  })
  return { source_mapping: Object.fromEntries(found), parameters }
}

function sourceOf(name: string, mapping: Readonly<Record<string, string>>, known: AccountNames): string | undefined {
  const saved = Object.hasOwn(mapping, name) ? mapping[name] : undefined
  return saved !== undefined && known.hasSource(saved) ? saved : known.sourceToken(name)
}

/** The endpoint's WITH queries in front of the caller's statement, which sees nothing else. */
function sandboxed(
  own: Guarded,
  override: string,
  dialect: NativeDialect,
  place: (name: string, type: string | null) => string,
): string {
  if (dialect === 'postgres')
    throw new Fault('bad_request', 'An endpoint on PostgreSQL takes no query of the caller: use parameters instead.')
  if (own.withList === null) throw new Fault('bad_request', 'this endpoint has no WITH queries to read')
  const caller = guardNative({
    ...{ sql: override, dialect, place, requireTimestamp: false, known: new Set(own.ctes) },
    resolve: () => undefined,
    table: () => '',
  })
  const twice = caller.ctes.find((name) => own.ctes.includes(name))
  if (twice !== undefined) throw new Fault('bad_request', `this endpoint has a WITH query ${twice} already`)
  const isWith = /^with\b/i.test(caller.text)
  return `${own.withList}${isWith ? caller.text.replace(/^with\b/i, ',') : ` ${caller.text}`}`
}

/** The engine's reason, with names of sources for those of tables. */
export function readableFault(error: unknown, nameOf: (token: string) => string | undefined): unknown {
  if (!(error instanceof Fault) || error.code !== 'query_failed') return error
  const isMissing =
    /Not found: (?:Table|Dataset)|relation ".*log_events_|Unknown table expression identifier|UNKNOWN_TABLE|does not exist\. Maybe/.test(
      error.message,
    )
  // Places in the text that BigQuery was sent are none in the text that was written.
  const text = withSourceNames(error.message, nameOf).replace(/ at \[\d+:\d+\]/g, '')
  const [first = ''] = text.replace(/^Code: \d+\. DB::Exception: /, '').split(/\n|: While executing|\. Stack trace/)
  const sentence = first.replace(/\s*\(version [^)]*\)\s*$/, '').slice(0, 600)
  if (isMissing) return new Fault('bad_request', 'This backend holds no events of the source yet.', sentence)
  return new Fault('bad_request', sentence)
}
