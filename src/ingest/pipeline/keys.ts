import { UNFIT, UNLISTED } from '../../model/fields.ts'
import { JsonObject, type JsonValue } from '../json/value.ts'
import { MAX_NAME_BYTES } from '../limits.ts'

const LEGAL = /^[A-Za-z_][A-Za-z0-9_]*$/
const ILLEGAL = /[^A-Za-z0-9_]/gu
const RESERVED =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/

/**
 * Gives every field, at every depth, a name that a warehouse takes as a column. `taken` are names of this level that
 * belong to the service. Nothing is overwritten: of two names that meet, the later one gets a number. Case does not
 * tell names apart, because it does not tell columns apart.
 */
export function nameFields(object: JsonObject, taken: Iterable<string> = []): JsonObject {
  const used = new Set(taken)
  const named = new JsonObject()
  for (let i = 0; i < object.size; i++) {
    const name = unusedName(legalName(object.names[i]!), used)
    used.add(name.toLowerCase())
    named.add(name, nameWithin(object.values[i]!))
  }
  return named
}

export function nameWithin(value: JsonValue): JsonValue {
  if (value instanceof JsonObject) return nameFields(value)
  return Array.isArray(value) ? value.map(nameWithin) : value
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

function unusedName(name: string, used: Set<string>): string {
  if (!used.has(name.toLowerCase())) return name
  for (let number = 2; ; number++) {
    const suffix = `_${number}`
    const numbered = name.slice(0, MAX_NAME_BYTES - suffix.length) + suffix
    if (!used.has(numbered.toLowerCase())) return numbered
  }
}
