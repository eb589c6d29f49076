/** Random schemas, and random events that fit them, in every form in which the matcher may meet them. */
import fc from 'fast-check'
import type { FieldType, FlatFields } from '../../model/fields.ts'

/** An event's value in the neutral form that the others are made from. */
export type Value = string | boolean | bigint | number | Value[] | { [name: string]: Value }

export type StoredEvent = { id: string; timestamp: number; event_message?: string; fields: { [name: string]: Value } }

export const NOW_MS = Date.UTC(2025, 2, 30, 1, 30, 15, 250)

const NAMES = ['a', 'b', 'level', 'Code', 'tags', '__proto__', 'constructor', 'get', 'text', 'isInteger']
const SCALARS = ['string', 'integer', 'float', 'boolean'] as const

export const TEXTS = [
  '',
  'a',
  'ab',
  'A',
  'abc',
  'b a',
  '10',
  '5',
  '204',
  '0204',
  'true',
  'NULL',
  'info',
  'error',
  'warning',
  'é',
  'É',
  '😀',
  '\uff5e',
  'a\nb',
  "it's",
  'say "a"',
  'c:\\d',
  'x(y',
  'y)',
  'OR',
  '-a',
  '2025-03-30',
  '\u0000a',
]

const INTEGERS = [
  0n,
  1n,
  -1n,
  5n,
  10n,
  204n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
]
const FLOATS = [0, 0.5, -0.5, 1.5, 3, 5, 10, 204, 0.1, 1e21, -1e300, 1e-7]

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', 'é', '😀', '(', ')') }) },
)

const scalarOf: Record<(typeof SCALARS)[number], fc.Arbitrary<Value>> = {
  string: text,
  integer: fc.constantFrom<Value>(...INTEGERS),
  float: fc.constantFrom<Value>(...FLOATS),
  boolean: fc.boolean(),
}

/** Fields of one level, as `name` → type; objects come with their own fields. */
export type SchemaField = { name: string; type: FieldType; fields: SchemaField[] }

export type Schema = SchemaField[]

function level(depth: number): fc.Arbitrary<Schema> {
  const scalar = fc.constantFrom<FieldType>(...SCALARS, ...SCALARS.map((type) => `${type}[]` as const))
  const leaf = fc.record({ name: fc.constantFrom(...NAMES), type: scalar, fields: fc.constant<Schema>([]) })
  const object = fc.record({
    name: fc.constantFrom(...NAMES),
    type: fc.constantFrom<FieldType>('object', 'object[]'),
    fields: depth > 0 ? level(depth - 1) : fc.constant<Schema>([]),
  })
  return fc.uniqueArray(depth > 0 ? fc.oneof({ weight: 3, arbitrary: leaf }, object) : leaf, {
    selector: ({ name }) => name,
    minLength: 1,
    maxLength: 4,
  })
}

export const schema = fc
  .record({ top: level(0), metadata: level(2), kind: fc.constantFrom<FieldType>('object', 'object[]') })
  .map(({ top, metadata, kind }): Schema => [...top, { name: 'metadata', type: kind, fields: metadata }])

export function flatten(fields: Schema, prefix = '', into: FlatFields = Object.create(null)): FlatFields {
  for (const field of fields) {
    into[prefix + field.name] = field.type
    flatten(field.fields, `${prefix + field.name}.`, into)
  }
  return into
}

export function eventsOf(fields: Schema): fc.Arbitrary<StoredEvent[]> {
  const event = fc.record(
    {
      timestamp: fc.oneof(
        fc.integer({ min: -90_000_000, max: 90_000_000 }).map((ms) => (NOW_MS + ms) * 1000 + 7),
        fc.constantFrom(0, 1, -1).map((us) => Date.UTC(2025, 2, 30) * 1000 + us),
      ),
      event_message: text,
      fields: objectOf(fields),
    },
    { requiredKeys: ['timestamp', 'fields'] },
  )
  return fc
    .array(event, { minLength: 1, maxLength: 12 })
    .map((list) => list.map((each, i) => ({ ...each, id: `e${i}` })))
}

/** Nothing empty is stored: no empty lists, no objects without members. */
function objectOf(fields: Schema): fc.Arbitrary<{ [name: string]: Value }> {
  const members = fields.map((field) => fc.option(fieldValue(field), { nil: undefined, freq: 3 }))
  return fc.tuple(...members).map((values) => {
    const object: { [name: string]: Value } = Object.create(null)
    for (const [i, value] of values.entries()) {
      const isEmpty = value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)
      if (!isEmpty) object[fields[i]!.name] = value
    }
    return object
  })
}

function fieldValue({ type, fields }: SchemaField): fc.Arbitrary<Value> {
  const one: fc.Arbitrary<Value> = fields.length > 0 ? objectOf(fields) : scalarOf[scalarName(type)]
  if (!type.endsWith('[]')) return one
  return fc
    .array(one, { maxLength: 3 })
    .map((list) => list.filter((value) => typeof value !== 'object' || Object.keys(value).length > 0))
}

function scalarName(type: FieldType): (typeof SCALARS)[number] {
  return SCALARS.find((name) => type.startsWith(name))!
}

/** A number that keeps its digits, as the write path has it. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  get isInteger(): boolean {
    return !/[.eE]/.test(this.text)
  }
}

/** Names and values side by side, as the write path has them. */
class Members {
  readonly #entries: [string, unknown][]
  constructor(entries: [string, unknown][]) {
    this.#entries = entries
  }
  get(name: string): unknown {
    return this.#entries.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  }
}

export const FORMS = ['plain', 'map', 'members'] as const

/** The event as an object tree in one of the forms that callers use. */
export function formed({ id, timestamp, event_message, fields }: StoredEvent, form: (typeof FORMS)[number]): object {
  const standard: [string, unknown][] = [
    ['id', id],
    ['timestamp', scalar(timestamp, form)],
  ]
  if (event_message !== undefined) standard.push(['event_message', event_message])
  return object(
    [...standard, ...Object.entries(fields).map(([name, value]) => [name, tree(value, form)] as const)],
    form,
  )
}

function tree(value: Value, form: (typeof FORMS)[number]): unknown {
  if (Array.isArray(value)) return value.map((each) => tree(each, form))
  if (typeof value !== 'object') return scalar(value, form)
  return object(
    Object.entries(value).map(([name, each]) => [name, tree(each, form)]),
    form,
  )
}

function scalar(value: Value, form: (typeof FORMS)[number]): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value
  return form === 'members' ? new Digits(String(value)) : value
}

function object(entries: (readonly [string, unknown])[], form: (typeof FORMS)[number]): object {
  if (form === 'map') return new Map(entries)
  if (form === 'members') return new Members(entries.map(([name, value]) => [name, value]))
  const plain = Object.create(null)
  for (const [name, value] of entries) plain[name] = value
  return plain
}
