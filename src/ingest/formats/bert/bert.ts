/**
 * BERT, in which the loggers of Elixir and Erlang send: the JSON that could have been sent instead, so that the same
 * event is stored either way. Atoms and binaries are texts, tuples are lists, lists of pairs with atoms in front are
 * objects, `{bert, …}` is what it stands for.
 */
import { printJson } from '../../json/print.ts'
import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { MAX_BODY_BYTES } from '../../limits.ts'
import type { Headers } from '../format.ts'
import { typeOf } from '../media.ts'
import { Atom, broken, Decimal, readTerm, type Term, TermMap, Tuple, tooLarge } from './terms.ts'

export const isBert = (headers: Headers): boolean => typeOf(headers) === 'application/bert'

export function bertToJson(body: Buffer): Buffer {
  const text = printed(jsonOf(readTerm(body)))
  if (text.length > MAX_BODY_BYTES) throw tooLarge()
  return Buffer.from(text)
}

/** Escapes can make a text longer than any text may be. */
function printed(value: JsonValue): string {
  try {
    return printJson(value)
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error
  }
}

function jsonOf(term: Term): JsonValue {
  if (Buffer.isBuffer(term)) return term.toString('utf8')
  if (term instanceof Atom) return wordOf(term.name)
  if (term instanceof Decimal) return decimal(term.value)
  if (term instanceof TermMap) return objectOf(term.pairs)
  if (term instanceof Tuple) return jsonOfTuple(term)
  if (!Array.isArray(term)) return new NumberText(String(term))
  const pairs = pairsOf(term)
  return pairs ? objectOf(pairs) : term.map(jsonOf)
}

function wordOf(name: string): JsonValue {
  if (name === 'true' || name === 'false') return name === 'true'
  return name === 'nil' || name === 'null' || name === 'undefined' ? null : name
}

function decimal(value: number): JsonValue {
  const text = String(value)
  if (!Number.isFinite(value)) return text
  return new NumberText(/[.e]/.test(text) ? text : `${text}.0`)
}

function objectOf(pairs: readonly (readonly [Term, Term])[]): JsonObject {
  const object = new JsonObject()
  for (const [name, value] of pairs) object.add(nameOf(name), jsonOf(value))
  return object
}

function nameOf(term: Term): string {
  if (Buffer.isBuffer(term)) return term.toString('utf8')
  if (term instanceof Atom) return term.name
  if (typeof term === 'number' || typeof term === 'bigint') return String(term)
  throw broken('a name must be an atom, a binary or an integer')
}

/** A keyword list. */
function pairsOf(terms: Term[]): [Term, Term][] | null {
  const pairs: [Term, Term][] = []
  for (const term of terms) {
    if (!(term instanceof Tuple) || term.terms.length !== 2 || !(term.terms[0] instanceof Atom)) return null
    if (term.terms[0].name === 'bert') return null
    pairs.push([term.terms[0], term.terms[1]!])
  }
  return pairs.length > 0 ? pairs : null
}

/** Forms of BERT for what its terms have no word for: `{bert, nil}`, `{bert, dict, pairs}`, `{bert, time, …}`. */
function jsonOfTuple({ terms }: Tuple): JsonValue {
  const [first, second, third, ...more] = terms
  if (!(first instanceof Atom) || first.name !== 'bert' || !(second instanceof Atom)) return terms.map(jsonOf)
  if (second.name === 'dict' && Array.isArray(third)) return objectOf(third.map(pairOf))
  if (second.name === 'time' && typeof third === 'number') return timeOf(third, more)
  if (second.name === 'string' && more[0] && Buffer.isBuffer(more[0])) return more[0].toString('utf8')
  return wordOf(second.name)
}

function pairOf(term: Term): [Term, Term] {
  const pair = term instanceof Tuple ? term.terms : Array.isArray(term) ? term : []
  const [name, value] = pair
  if (pair.length !== 2 || name === undefined || value === undefined) throw broken('a dictionary is made of pairs')
  return [name, value]
}

/** Millions of seconds, seconds and microseconds since 1970. */
function timeOf(millions: number, [seconds, micros]: Term[]): JsonValue {
  if (typeof seconds !== 'number' || typeof micros !== 'number') throw broken('a time is three integers')
  return new NumberText(String(BigInt(millions * 1_000_000 + seconds) * 1_000_000n + BigInt(micros)))
}
