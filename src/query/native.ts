/**
 * The read flow on a backend: a statement in the engine's own dialect comes in, finished JSON rows go out. What
 * `answer.ts` promises holds here too, with the guard of `sql/native` as the first fence and the engine's read-only mode,
 * time-out and limit of rows as the second; and nothing past its retention is returned.
 */
import type { BoundText, Store } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { withSourceNames } from '../backends/table-name.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { QueryFacts } from '../model/endpoint.ts'
import { type Guarded, guardNative } from '../sql/native/guard.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import type { Rows } from './answer.ts'
import type { Values } from './bind.ts'
import type { AccountNames, Names } from './names.ts'

export type NativeQuestion = {
  accountId: number
  backendId: number
  sql: string
  /** What names meant when the query was saved; they still mean it after a source was renamed. */
  mapping?: Readonly<Record<string, string>>
  /** A caller's own query over the WITH queries of `sql`. */
  override?: string
  values: Values
  labels: Readonly<Record<string, string>>
  requireTimestamp: boolean
  maxRows: number
  timeoutMs: number
  signal?: AbortSignal
}

export type AnswerNative = (question: NativeQuestion) => Promise<Rows>

type Parts = {
  stores: Pick<Stores, 'ask'>
  names: Names
  clock: Clock
}

const DAY_US = 86_400_000_000

export function createAnswerNative({ stores, names, clock }: Parts): AnswerNative {
  return async (question) => {
    const { accountId, backendId, labels, maxRows, timeoutMs, signal } = question
    const store = await stores.ask(accountId, backendId)
    const known = await names.of(accountId)
    const keptFromUs = (token: string): number => clock.nowMs() * 1000 - known.retentionDays(token) * DAY_US
    const { text, sources, values } = prepareNative(question, known, { store, keptFromUs })
    try {
      const { json, cost } = await store.query({ text, values, labels, maxRows, timeoutMs }, signal)
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
  { store, keptFromUs }: { store: Pick<Store, 'dialect' | 'table' | 'place'>; keptFromUs(token: string): number },
): PreparedNative {
  const bound: BoundText[] = []
  const numbers = new Map<string, number>()
  const { dialect } = store
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
  return { text: sandboxed(own, override, dialect, place), sources: own.sources, values: bound }
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

/** Values of parameters as text; the engine reads them as the type that it expects. */
function textOf(value: unknown): BoundText {
  if (Array.isArray(value)) return value.map((each) => scalarText(each))
  return scalarText(value)
}

function scalarText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The engine's reason, with names of sources for those of tables. */
export function readableFault(error: unknown, nameOf: (token: string) => string | undefined): unknown {
  if (!(error instanceof Fault) || error.code !== 'query_failed') return error
  const isMissing =
    /relation ".*log_events_|Unknown table expression identifier|UNKNOWN_TABLE|does not exist\. Maybe/.test(
      error.message,
    )
  const text = withSourceNames(error.message, nameOf)
  const [first = ''] = text.replace(/^Code: \d+\. DB::Exception: /, '').split(/\n|: While executing|\. Stack trace/)
  const sentence = first.replace(/\s*\(version [^)]*\)\s*$/, '').slice(0, 600)
  if (isMissing) return new Fault('bad_request', 'This backend holds no events of the source yet.', sentence)
  return new Fault('bad_request', sentence)
}
