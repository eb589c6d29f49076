import { UNFIT, UNLISTED } from '../../model/fields.ts'
import { JsonObject, type JsonValue } from '../json/value.ts'
import { MAX_NAME_BYTES } from '../limits.ts'

const LEGAL = /^[A-Za-z_][A-Za-z0-9_]*$/
const ILLEGAL = /[^A-Za-z0-9_]/gu
const RESERVED =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/

/**
 * Gives every field, at every depth, a name that a warehouse takes as a column. Nothing is overwritten: of two names
 * that meet, the later one gets a number. Case does not tell names apart, because it does not tell columns apart.
 */
export class Naming {
  /** Names seen lately with what becomes of them: a few names make up almost all events. */
  readonly #seen = new Map<string, Names>()

  /** `taken` are names of this level that belong to the service. */
  fields(object: JsonObject, taken: readonly string[] = []): JsonObject {
    const used = new Set(taken)
    const numbers = new Map<string, number>()
    const named = new JsonObject()
    for (let i = 0; i < object.size; i++) {
      const { legal, folded } = this.#namesOf(object.names[i]!)
      if (!used.has(folded)) {
        used.add(folded)
        named.add(legal, this.within(object.values[i]!))
        continue
      }
      let number = numbers.get(folded) ?? 2
      while (used.has(numbered(folded, number))) number++
      numbers.set(folded, number + 1)
      used.add(numbered(folded, number))
      named.add(numbered(legal, number), this.within(object.values[i]!))
    }
    return named
  }

  within(value: JsonValue): JsonValue {
    if (value instanceof JsonObject) return this.fields(value)
    return Array.isArray(value) && value[0] instanceof JsonObject ? value.map((one) => this.within(one)) : value
  }

  #namesOf(name: string): Names {
    let names = this.#seen.get(name)
    if (names === undefined) {
      const legal = legalName(name)
      names = { legal, folded: legal.toLowerCase() }
      if (this.#seen.size >= MAX_SEEN) this.#seen.clear()
      if (name.length <= MAX_NAME_BYTES) this.#seen.set(name, names)
    }
    return names
  }
}

type Names = { legal: string; folded: string }

const MAX_SEEN = 10_000

function numbered(name: string, number: number): string {
  const suffix = `_${number}`
  return name.slice(0, MAX_NAME_BYTES - suffix.length) + suffix
}

/** A legal name is left alone; any other gets one leading `_`, whatever was wrong with it. */
export function legalName(name: string): string {
  const isLegal = LEGAL.test(name) && name.length <= MAX_NAME_BYTES
  if (isLegal && !(name.startsWith('_') && isReserved(name))) return name
  return `_${name.replace(ILLEGAL, '_')}`.slice(0, MAX_NAME_BYTES)
}

/** The service writes `_unfit` and `_unlisted` itself. */
function isReserved(name: string): boolean {
  const folded = name.toLowerCase()
  return RESERVED.test(name) || folded === UNFIT || folded === UNLISTED
}
