import type { FlatFields, ScalarType } from '../model/fields.ts'
import { MESSAGE, TIMESTAMP } from './query.ts'

export type KnownType = ScalarType | 'timestamp' | 'object'

export type KnownField = { path: string; type: KnownType; isList: boolean }

/** The fields of a source with the standard ones, found whatever their case, because the engine's columns are. */
export type KnownFields = {
  find(path: string): KnownField | undefined
  /** Every field that can be named in a query. */
  all(): KnownField[]
}

const STANDARD: KnownField[] = [
  { path: 'id', type: 'string', isList: false },
  { path: TIMESTAMP, type: 'timestamp', isList: false },
  { path: MESSAGE, type: 'string', isList: false },
]

export function createKnownFields(flat: FlatFields): KnownFields {
  const fields = new Map<string, KnownField>()
  for (const [path, word] of Object.entries(flat)) {
    const isList = word.endsWith('[]')
    const type = typeOf(isList ? word.slice(0, -2) : word)
    // An object without a value below it has no column: the engine knows no empty struct.
    if (type !== 'object') addWithParents(fields, flat, path, type, isList)
  }
  for (const field of STANDARD) fields.set(field.path, field)
  return { find: (path) => fields.get(path.toLowerCase()), all: () => [...fields.values()] }
}

function addWithParents(
  fields: Map<string, KnownField>,
  flat: FlatFields,
  path: string,
  type: KnownType,
  isList: boolean,
): void {
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const parent = path.slice(0, dot)
    fields.set(parent.toLowerCase(), { path: parent, type: 'object', isList: flat[parent] === 'object[]' })
  }
  fields.set(path.toLowerCase(), { path, type, isList })
}

function typeOf(word: string): KnownType {
  switch (word) {
    case 'string':
    case 'integer':
    case 'float':
    case 'boolean':
    case 'object':
      return word
    default:
      throw new Error(`unknown field type ${word}`)
  }
}
