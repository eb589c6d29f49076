/**
 * Warehouse SQL: GoogleSQL text in, one SELECT of the embedded engine out.
 *
 * Promises: every table in the answer is a source the caller's look-up named, a WITH query or an UNNEST; every function
 * stands in the table of `functions/`; values of parameters are never part of the text. All names of tables, WITH
 * queries and ranges are replaced by our own (`source_0`, `cte_0`, `t0`), so no name of a caller reaches the engine
 * except as a quoted column.
 * Refuses: anything but one SELECT, unknown names, and (when asked) a source without a filter on its timestamp.
 * `fence.ts` is the second, independent check, on the engine's own parse tree of the final text.
 */
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Needles } from '../model/needles.ts'
import { rangeOf } from './bounds.ts'
import { createCache } from './cache.ts'
import type { Dialect } from './dialects/dialect.ts'
import { DIALECTS } from './dialects/dialects.ts'
import { type Emitted, quoteName } from './emitted.ts'
import type { Engine } from './engine.ts'
import { faultAt } from './lexer.ts'
import { looksLike } from './looks.ts'
import { needlesOf } from './needles.ts'
import { parse } from './parse.ts'
import { type CteRange, type Meaning, readCtes, type SourceUse } from './place.ts'
import { translateQuery } from './translate.ts'
import type { Query, Relation } from './tree.ts'
import { type Column, engineName, type ScalarKind, sourceColumns, UNKNOWN, type ValueType } from './value-types.ts'

/** A query put together from others: `key` says all that its tree depends on, the tree is made only when needed. */
export type Composed = { key: string; tree(): Query }

export type Request = {
  sql: string | Query | Composed
  /** The engine that the text is for; the embedded one when not given. */
  dialect?: Engine
  /** The source's token by its name as written, dots included. */
  resolve(name: string): string | undefined
  /** Another object whenever they are other fields. */
  fields(token: string): FlatFields
  requireTimestamp: boolean
  /**
   * The caller leaves out rows beyond a source's bounds itself, so the text need not ask for it: where whole files lie
   * within the bounds, their times then need not be read.
   */
  boundsKept?: boolean
  /** Values of parameters, as far as they are known: they only tighten the time bounds. */
  parameters?: Readonly<Record<string, unknown>>
  nowUs: number
  /** What a tree was parsed from, for positions in errors. */
  written?: string
  /** Told of everything in FROM; asked of a tree only, which is translated each time. */
  note?(relation: Relation, meaning: Meaning): void
}

export type ParameterType = ScalarKind | 'array' | 'struct'

/** Lists with their elements. */
export type BoundType = ParameterType | `${ScalarKind}[]`

export type Parameter = {
  name: string
  /** The embedded engine's name of it: `$p0` in the text, bound as `p0`. Others have it at its place in the list. */
  placeholder: string
  /** What the query expects; null when it does not say. */
  type: ParameterType | null
  /** Of a list: what its elements are, where the query says. */
  element?: ScalarKind
}

export type PreparedSource = {
  /** The relation's name in the text. */
  table: string
  token: string
  name: string
  /** No row outside [fromUs, toUs] can matter; null when open. */
  fromUs: number | null
  toUs: number | null
  /** Rows without these cannot matter either. */
  needles: Needles
}

export type Prepared = {
  dialect: Engine
  /** It reads relations named `source_0` and so on: for engines with tables of their own, see `withTables`. */
  text: string
  sources: PreparedSource[]
  parameters: Parameter[]
  columns: Column[]
  /** The columns of each source, in the order of `sources`. */
  relations: Column[][]
}

type Translation = { text: string; sources: SourceUse[]; parameters: Parameter[]; columns: Column[] }

export type Sql = { prepare(request: Request): Prepared }

/** Characters of query text kept with their translations. */
const CACHE_CHARACTERS = 4_000_000

export function createSql(): Sql {
  const memory: Memory = { translations: createCache<Translation>(CACHE_CHARACTERS), fieldTexts: new WeakMap() }
  return {
    prepare(request) {
      const { nowUs, parameters = {} } = request
      const { sources, text, ...rest } = withinStack(() => cachedTranslation(request, memory))
      const { dialect = 'duckdb' } = request
      return {
        dialect,
        text: dialect === 'duckdb' ? text : placed(text, rest.parameters, parameters, DIALECTS[dialect]),
        ...rest,
        relations: sources.map(({ columns }) => columns),
        sources: sources.map(({ number, token, name, bounds, needles }) => ({
          table: `source_${number}`,
          token,
          name,
          ...rangeOf(bounds, { nowUs, parameters }),
          needles: needlesOf(needles, { nowUs, parameters: textsOf(rest.parameters, parameters) }),
        })),
      }
    },
  }
}

/** The parameters that are read as text; others may equal texts that are written differently. */
const textsOf = (asked: Parameter[], values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(asked.filter(({ type }) => type === 'string').map(({ name }) => [name, values[name]]))

/** Chains of operators recurse as deep as they are long; one too long for the stack is the caller's to shorten. */
export function withinStack<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw new Fault('bad_request', 'the query is too complex: shorten its expressions')
    throw error
  }
}

type Memory = {
  translations: ReturnType<typeof createCache<Translation>>
  /** Fields are handed out as the same object until they change, so their text is made once. */
  fieldTexts: WeakMap<FlatFields, string>
}

/** A translation holds as long as the names it looked up mean the same sources with the same fields. */
function cachedTranslation(request: Request, { translations, fieldTexts }: Memory): Translation {
  const { sql } = request
  if (typeof sql !== 'string' && !('key' in sql)) return translate(sql, request.written ?? null, request).translation
  const markOf = (what: string): string => {
    if (what.startsWith(NAME)) return request.resolve(what.slice(NAME.length)) ?? ''
    return fieldsText(request.fields(what.slice(FIELDS.length)), fieldTexts)
  }
  const key = `${request.dialect ?? ''} ${request.requireTimestamp ? 'T' : 'F'}${request.boundsKept ? 'T' : 'F'}${typeof sql === 'string' ? `text ${sql}` : `tree ${sql.key}`}`
  const known = translations.get(key, (made) => made.every(([what, mark]) => markOf(what) === mark))
  if (known) return known
  const { translation, marks } =
    typeof sql === 'string' ? translate(parse(sql), sql, request) : translate(sql.tree(), null, request)
  translations.set(
    key,
    translation,
    [...marks].map((what) => [what, markOf(what)]),
  )
  return translation
}

const NAME = 'name '
const FIELDS = 'fields '

function fieldsText(flat: FlatFields, texts: WeakMap<FlatFields, string>): string {
  const known = texts.get(flat)
  if (known !== undefined) return known
  const text = JSON.stringify(flat)
  texts.set(flat, text)
  return text
}

function translate(
  query: Query,
  sql: string | null,
  request: Request,
): { translation: Translation; marks: Set<string> } {
  const dialect = DIALECTS[request.dialect ?? 'duckdb']
  const marks = new Set<string>()
  const parameters = new Map<string, { index: number; type: ValueType }>()
  const counters = { source: 0, cte: 0, range: 0 }
  const uses: CteRange['uses'] = { ctes: [], sources: [] }

  const translated = translateQuery(query, { ctes: null, sealed: false, uses }, null, {
    dialect,
    requireTimestamp: request.requireTimestamp,
    boundsKept: request.boundsKept ?? false,
    source(name, tied) {
      if (tied === undefined) marks.add(NAME + name)
      const token = tied ?? request.resolve(name)
      if (token === undefined) return undefined
      marks.add(FIELDS + token)
      return { token, columns: sourceColumns(request.fields(token)) }
    },
    nextNumber: (kind) => counters[kind]++,
    parameter: (name, want) => noteParameter(parameters, name, want, dialect),
    ...(request.note ? { note: request.note } : {}),
    // A tree put together from several texts has no positions that would mean anything.
    fail: (at, message) => faultAt(sql, at, message),
  })
  const list = [...parameters].map(
    ([name, { index, type }]): Parameter => ({
      name,
      placeholder: `p${index}`,
      type: type.kind === 'unknown' ? null : type.kind,
      ...(type.kind === 'array' && isScalar(type.of) ? { element: type.of.kind } : {}),
    }),
  )
  const text = withParameters(dialect.output(translated.sql, translated.columns), [...parameters.values()], dialect)
  return { translation: { text, sources: readSources(uses), parameters: list, columns: translated.columns }, marks }
}

const isScalar = (type: ValueType): type is { kind: ScalarKind } =>
  type.kind !== 'array' && type.kind !== 'struct' && type.kind !== 'unknown'

const MARK = '\u0000'
const MARKS = /\u0000(\d+)\u0000/g

/** A parameter's type may become known after its first use, so its place is marked and written at the end. */
function noteParameter(
  known: Map<string, { index: number; type: ValueType }>,
  name: string,
  want: ValueType | undefined,
  { engine }: Dialect,
): Emitted {
  const parameter = known.get(name) ?? { index: known.size, type: UNKNOWN }
  known.set(name, parameter)
  if (parameter.type.kind === 'unknown' && want && engineName(want, engine)) parameter.type = want
  return { sql: `${MARK}${parameter.index}${MARK}`, type: parameter.type }
}

/** The marks of parameters whose type is not known stay where the engine has to be told one: see `placed`. */
function withParameters(sql: string, parameters: { index: number; type: ValueType }[], dialect: Dialect): string {
  return sql.replace(MARKS, (mark, index: string) => {
    const { type } = parameters[Number(index)]!
    return type.kind === 'unknown' && dialect.engine !== 'duckdb' ? mark : dialect.parameter(Number(index), type)
  })
}

/** Parameters that the query does not type have the type that their values look like. */
function placed(
  text: string,
  asked: Parameter[],
  values: Readonly<Record<string, unknown>>,
  { parameter }: Dialect,
): string {
  return text.replace(MARKS, (_, index: string) =>
    parameter(Number(index), looksLike(values[asked[Number(index)]!.name])),
  )
}

/** The statement for an engine with tables of its own: `from` says what stands for a source in FROM. */
export function withTables(prepared: Prepared, from: (source: PreparedSource) => string): string {
  const { dialect, text, sources, relations: known } = prepared
  if (sources.length === 0) return text
  const relations = sources.map((source, i) => {
    const isRead = (name: string): boolean => text.includes(quoteName(name))
    return `${source.table} AS (${DIALECTS[dialect].relation(known[i]!, from(source), isRead)})`
  })
  const head = /^WITH (RECURSIVE )?/.exec(text)?.[0] ?? ''
  return `${head || 'WITH '}${relations.join(', ')}${head ? ', ' : ' '}${text.slice(head.length)}`
}

/** The sources that the query itself or a WITH query it reads, directly or through others, needs. */
function readSources(uses: CteRange['uses']): SourceUse[] {
  const ctes = [...readCtes(uses)]
  const sources = [uses, ...ctes.map((cte) => cte.uses)].flatMap((each) => each.sources)
  return sources.sort((a, b) => a.number - b.number)
}

export { inBigquery } from './bigquery.ts'
export { bindSources, expand, sandbox, tableNames } from './compose.ts'
export { describeError, isUnknownField } from './describe.ts'
export type { Engine } from './engine.ts'
export { checkFinal } from './fence.ts'
export { MACRO_STATEMENTS } from './macros.ts'
export { parse } from './parse.ts'
export type { Meaning } from './place.ts'
export { print } from './print.ts'
export type { Expr, Query, Relation } from './tree.ts'
export { parameterNames } from './walk.ts'
