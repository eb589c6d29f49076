import {
  addFields,
  type Field,
  type Fields,
  type FieldType,
  type FlatFields,
  UNFIT,
  UNLISTED,
} from '../../../model/fields.ts'

/** What the service adds on its own is not part of the schema that users see. */
const isShown = (path: string): boolean => {
  const first = path.split('.', 1)[0]
  return first !== UNFIT && first !== UNLISTED
}

/** Path → type. Objects are named by their fields only. */
export function dotSchema(flat: FlatFields): Record<string, string> {
  const shown = Object.entries(flat).filter(([path, type]) => isShown(path) && type !== 'object' && type !== 'object[]')
  return { id: 'string', timestamp: 'datetime', event_message: 'string', ...Object.fromEntries(shown) }
}

export function jsonSchema(source: { token: string; name: string }, flat: FlatFields): object {
  const tree: Fields = new Map()
  addFields(tree, Object.fromEntries(Object.entries(flat).filter(([path]) => isShown(path))))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `/api/sources/${source.token}/schema`,
    title: source.name,
    type: 'object',
    properties: {
      id: { type: 'string' },
      // As stored and answered: microseconds since 1970.
      timestamp: { type: 'number' },
      event_message: { type: 'string' },
      ...properties(tree),
    },
  }
}

function properties(fields: Fields): Record<string, object> {
  return Object.fromEntries([...fields].map(([name, field]) => [name, property(field)]))
}

function property({ type, fields }: Field): object {
  const item = type.endsWith('[]') ? type.slice(0, -2) : type
  const one = item === 'object' ? { type: item, properties: properties(fields ?? new Map()) } : { type: WORDS[item] }
  return type.endsWith('[]') ? { type: 'array', items: one } : one
}

const WORDS: Record<string, string> = {
  string: 'string',
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
} satisfies Partial<Record<FieldType, string>>
