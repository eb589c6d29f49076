/**
 * The fields of a source: a tree of names, each with one shape. The standard fields `id`, `timestamp` and
 * `event_message` belong to every source and stand outside this tree.
 *
 * On disk and between processes a tree is flat: path → type word, parents before children
 * (`{"metadata":"object","metadata.code":"integer","tags":"string[]","items":"object[]","items.sku":"string"}`).
 * Names hold no dots, so a path is unambiguous.
 */
export type ScalarType = 'string' | 'integer' | 'float' | 'boolean'

export type FieldType = ScalarType | `${ScalarType}[]` | 'object' | 'object[]'

export type FlatFields = Record<string, FieldType>

export type Field = { type: FieldType; fields: Fields | null }

export type Fields = Map<string, Field>

/** Written by the service itself, not by senders; they stay out of the schema that users see. */
export const UNFIT = '_unfit'
export const UNLISTED = '_unlisted'

export const isObjectType = (type: FieldType): boolean => type === 'object' || type === 'object[]'

/** Adds the flat fields to the tree: new ones appear, integers widen to floats, nothing else changes. */
export function addFields(tree: Fields, flat: FlatFields): void {
  for (const [path, type] of Object.entries(flat)) {
    const names = path.split('.')
    let level = tree
    for (const name of names.slice(0, -1)) {
      const parent = level.get(name)
      if (!parent?.fields) throw new Error(`field ${path} comes before its parent`)
      level = parent.fields
    }
    const name = names.at(-1)!
    const known = level.get(name)
    if (!known) level.set(name, { type, fields: isObjectType(type) ? new Map() : null })
    else if (widens(known.type, type)) known.type = type
  }
}

/** Those of the flat fields that the tree could take and does not have. */
export function unknownFields(tree: Fields, flat: FlatFields): FlatFields {
  const found: FlatFields = Object.create(null)
  const isObject = new Map<string, boolean>([['', true]])
  for (const [path, type] of Object.entries(flat)) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (!isObject.get(parent)) continue
    const known = fieldAt(tree, path)
    isObject.set(path, isObjectType(known?.type ?? type))
    if (!known) found[path] = type
  }
  return found
}

/** Those of the flat fields that the tree has with a narrower type. */
export function widerFields(tree: Fields, flat: FlatFields): FlatFields {
  const found: FlatFields = Object.create(null)
  for (const [path, type] of Object.entries(flat)) {
    const known = fieldAt(tree, path)
    if (known && widens(known.type, type)) found[path] = type
  }
  return found
}

const fieldAt = (tree: Fields, path: string): Field | undefined =>
  path
    .split('.')
    .reduce<Field | undefined>((field, name, depth) => (depth === 0 ? tree : field?.fields)?.get(name), undefined)

export function widens(from: FieldType, to: FieldType): boolean {
  return (from === 'integer' && to === 'float') || (from === 'integer[]' && to === 'float[]')
}

export function flatFields(tree: Fields, prefix = '', into: FlatFields = Object.create(null)): FlatFields {
  for (const [name, field] of tree) {
    into[prefix + name] = field.type
    if (field.fields) flatFields(field.fields, `${prefix + name}.`, into)
  }
  return into
}
