import { Fault } from '../base/faults.ts'

/** What the engine's message may be traced back to. */
export type Known = {
  /** Names in the text, such as `source_0`, by what the caller calls them. */
  names?: Readonly<Record<string, string>>
  timeoutMs?: number
}

type Rule = [pattern: RegExp, say: (match: RegExpExecArray, known: Known) => string]

/** The engine's messages a caller can act on, in the caller's words. The first that fits is taken. */
const RULES: Rule[] = [
  [
    /INTERRUPT|interrupted/i,
    (_, { timeoutMs }) =>
      `the query took too long${timeoutMs ? ` (more than ${timeoutMs / 1000} s)` : ''}: narrow the time range or read fewer fields`,
  ],
  [/Out of Memory/i, () => 'the query needs too much memory: narrow the time range, select fewer fields or aggregate'],
  [/Referenced column "([^"]+)" not found/, ([, name]) => `unknown field ${name}`],
  [/does not have a column named "([^"]+)"/, ([, name]) => `unknown field ${name}`],
  [/Could not find key "([^"]+)" in struct/, ([, name]) => `unknown field ${name}`],
  [
    /Could not convert string '([^']*)' to (\w+)/i,
    ([, text, type]) => `cannot read "${text}" as ${typeWord(type!)}: use SAFE_CAST to get NULL instead`,
  ],
  [
    /invalid (?:timestamp|date) field format: "([^"]*)"/i,
    ([, text]) => `cannot read "${text}" as a time: use SAFE_CAST to get NULL instead`,
  ],
  [
    /invalid input syntax for type ([a-z ]+?): "([^"]*)"/,
    ([, type, text]) => `cannot read "${text}" as ${postgresWord(type!)}: use SAFE_CAST to get NULL instead`,
  ],
  [/(?:timestamp|date\/time) field value out of range: "([^"]*)"/i, ([, text]) => `the time "${text}" is out of range`],
  [
    /Cannot compare values of type (.+?) and (?:type )?(.+?)(?: in| -|$)/m,
    ([, a, b]) => `cannot compare ${typeWord(a!)} with ${typeWord(b!)}: add a CAST`,
  ],
  [
    /No function matches the given name and argument types '([a-z_0-9]+)\(([^']*)\)'/i,
    ([, name, types]) => `${functionWord(name!)} does not take (${types!.split(', ').map(typeWord).join(', ')})`,
  ],
  [
    /operator does not exist: ([a-z ]+?) (?:<=|>=|<>|[=<>]) ([a-z ]+)/,
    ([, a, b]) => `cannot compare ${postgresWord(a!)} with ${postgresWord(b!)}: add a CAST`,
  ],
  [
    /operator does not exist: ([a-z ]+?) (\S+) ([a-z ]+)/,
    ([, a, operator, b]) => `${operator} does not take (${postgresWord(a!)}, ${postgresWord(b!)})`,
  ],
  [
    /function (?:pg_temp\.)?([a-z_0-9]+)\(([a-z ,]*)\) does not exist/,
    ([, name, types]) => `${functionWord(name!)} does not take (${types!.split(', ').map(postgresWord).join(', ')})`,
  ],
  [/collations are not supported by type ([a-z ]+)/, ([, type]) => `a STRING is needed, not ${postgresWord(type!)}`],
  [
    /column "(?:t\d+\.)?([^"]+)" must appear in the GROUP BY clause/,
    ([, name]) => `the field ${name} must be in GROUP BY or inside an aggregate function`,
  ],
  [/Overflow in (\w+)/i, () => 'a number is out of range'],
  [/out of range/i, () => 'a number is out of range'],
  [
    /invalid (?:perl operator|character class|escape)|missing [)\]]|unexpected [)]|no argument for repetition|bad repetition/i,
    ([found]) => `the regular expression is not valid: ${found}`,
  ],
  [/More than one row returned by a subquery/i, () => 'a subquery used as a value gave more than one row'],
  [
    /unrecognized time ?zone|Unknown TimeZone '?([^'\n]*)'?/i,
    ([, name]) => `unknown time zone${name ? ` ${name}` : ''}`,
  ],
  [/time zone "([^"]*)" not recognized/, ([, name]) => `unknown time zone ${name}`],
  [/invalid regular expression: (.*)/, ([, reason]) => `the regular expression is not valid: ${reason}`],
]

const TYPE_WORDS: Record<string, string> = {
  VARCHAR: 'STRING',
  BIGINT: 'INT64',
  INTEGER: 'INT64',
  INTEGER_LITERAL: 'INT64',
  STRING_LITERAL: 'STRING',
  HUGEINT: 'INT64',
  DOUBLE: 'FLOAT64',
  BOOLEAN: 'BOOL',
  BLOB: 'BYTES',
}

const typeWord = (engine: string): string =>
  engine.replace(/\b[A-Z_]+\b/g, (word) => TYPE_WORDS[word] ?? word).replace(/^(.*)\[\]$/, 'ARRAY<$1>')

/** PostgreSQL says its types in small letters. */
const POSTGRES_WORDS: Record<string, string> = {
  text: 'STRING',
  'character varying': 'STRING',
  bigint: 'INT64',
  integer: 'INT64',
  'double precision': 'FLOAT64',
  boolean: 'BOOL',
  bytea: 'BYTES',
  'timestamp with time zone': 'TIMESTAMP',
  'timestamp without time zone': 'DATETIME',
  timestamp: 'DATETIME',
  'time without time zone': 'TIME',
  json: 'JSON',
  jsonb: 'a list or an object',
}

const postgresWord = (type: string): string => POSTGRES_WORDS[type.trim()] ?? type.trim().toUpperCase()

const functionWord = (name: string): string => name.replace(/^bq_/, '').toUpperCase()

/** The engine's failure as a fault for the caller: no paths, no names we made up, the original kept for the operator. */
export function describeError(message: string, known: Known = {}): Fault {
  const rule = RULES.map(([pattern, say]) => {
    const match = pattern.exec(message)
    return match ? say(match, known) : null
  }).find((said) => said !== null)
  return new Fault('query_failed', withoutInternals(rule ?? firstSentence(message), known), message)
}

function firstSentence(message: string): string {
  const [line = ''] = message.split('\n')
  return line.replace(/^(?:\w+ )*(?:Error|Exception):\s*/, '') || 'the query failed'
}

function withoutInternals(text: string, { names = {} }: Known): string {
  return text
    .replace(/(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\w.~-]*\/)+[\w.~=-]+\.\w+/g, 'a data file')
    .replace(/[\w.-]+\.(?:parquet|duckdb|ndjson|json|sqlite|wal)\b/g, 'a data file')
    .replace(/\b(?:source|cte|t)_?\d+\b/g, (name) => names[name] ?? 'the table')
    .replace(/\bbq_(\w+)/g, (_, name: string) => name.toUpperCase())
}

/** Whether a translation stopped at a field that no event has brought yet. */
export const isUnknownField = (error: unknown): boolean =>
  error instanceof Fault && error.message.startsWith('unknown field ')
