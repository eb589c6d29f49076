/**
 * Describes the types of backends for forms, out of the options themselves: `title` and `description` in the `meta` of
 * an option are its label and its help, everything else is read from what the option takes. An option without words of
 * its own gets a label from its name.
 */
import { z } from 'zod'
import type { BackendField, BackendType } from '../model/backend-type.ts'
import type { Kind } from './kind.ts'

/** What is read of a JSON Schema here. */
type Schema = {
  type?: unknown
  title?: unknown
  description?: unknown
  default?: unknown
  enum?: unknown
  const?: unknown
  minimum?: unknown
  maximum?: unknown
  maxLength?: unknown
  lines?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  oneOf?: Schema[]
}

export function describeKind({ type, options, secrets }: Pick<Kind, 'type' | 'options' | 'secrets'>): BackendType {
  const schema: Schema = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }) as Schema
  const variants = schema.oneOf ?? [schema]
  const names = [...new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))]
  const fields = names.map((name): BackendField => {
    const having = variants.filter(({ properties = {} }) => name in properties)
    const taken = having.map(({ properties = {} }) => properties[name] ?? {})
    const [first = {}] = taken
    const choices = choicesOf(taken)
    return {
      name,
      label: textOf(first.title) ?? labelOf(name),
      help: textOf(first.description),
      input: inputOf(first, choices),
      // What decides between variants has a first choice.
      required: choices.length === 0 || first.const === undefined ? having.every(isRequiredBy(name)) : false,
      secret: secrets.includes(name),
      default: first.const !== undefined ? (choices[0] ?? null) : plain(first.default),
      choices,
      min: numberOf(first.minimum),
      max: numberOf(first.maximum),
      max_length: numberOf(first.maxLength),
      only_with: having.length === variants.length ? null : conditionOf(having, variants),
    }
  })
  return { type, label: textOf(schema.title) ?? labelOf(type), about: textOf(schema.description), fields }
}

const isRequiredBy =
  (name: string) =>
  ({ required = [] }: Schema): boolean =>
    required.includes(name)

function choicesOf(taken: Schema[]): string[] {
  const values = taken.flatMap((schema) => {
    if (schema.const !== undefined) return [schema.const]
    return Array.isArray(schema.enum) ? schema.enum : []
  })
  return [...new Set(values.map(String))]
}

/** The field that tells these variants from the others. */
function conditionOf(having: Schema[], variants: Schema[]): BackendField['only_with'] {
  for (const [field, schema] of Object.entries(having[0]?.properties ?? {})) {
    if (schema.const === undefined || !variants.every(({ properties = {} }) => field in properties)) continue
    return { field, values: choicesOf(having.map(({ properties = {} }) => properties[field] ?? {})) }
  }
  return null
}

function inputOf(schema: Schema, choices: string[]): BackendField['input'] {
  if (choices.length > 0) return 'choice'
  if (schema.type === 'boolean') return 'switch'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'object') return 'pairs'
  return schema.lines === true ? 'lines' : 'text'
}

const ACRONYMS = new Map([
  ...['id', 'url', 'tls', 'ssl', 'api', 'ca', 'ip'].map((word) => [word, word.toUpperCase()] as const),
  ['gzip', 'Gzip'],
])

/** `api_key` is "API key". */
function labelOf(name: string): string {
  const words = name.split('_').map((word) => ACRONYMS.get(word) ?? word)
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** A limit that no number reaches says nothing. */
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null

const plain = (value: unknown): BackendField['default'] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
