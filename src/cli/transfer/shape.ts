/**
 * Columns for a set of events. Types come from the events themselves and the source's schema, never from how a text
 * looks: a text that looks like a date stays a text.
 */
type Node = { kinds: Set<string>; item: Node | null; fields: Map<string, Node> }

const node = (): Node => ({ kinds: new Set(), item: null, fields: new Map() })

export type Shape = {
  add(event: object): void /** Column name and type, as DuckDB writes them. */
  columns(): [string, string][]
}

/** `schema` maps paths to types: large integers arrive as text, and only it knows better. */
export function createShape(schema: Record<string, unknown>): Shape {
  const root = node()

  function see(at: Node, value: unknown): void {
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      at.kinds.add('list')
      at.item ??= node()
      for (const entry of value) see(at.item, entry)
    } else if (typeof value === 'object') {
      at.kinds.add('object')
      for (const [name, inner] of Object.entries(value)) {
        const field = at.fields.get(name) ?? node()
        at.fields.set(name, field)
        see(field, inner)
      }
    } else if (typeof value === 'number') at.kinds.add(Number.isInteger(value) ? 'integer' : 'float')
    else at.kinds.add(typeof value)
  }

  function typeOf({ kinds, item, fields }: Node, path: string): string {
    const [only] = kinds
    if (kinds.size === 1 && only === 'list') return `${item ? typeOf(item, path) : 'VARCHAR'}[]`
    if (kinds.size === 1 && only === 'object' && fields.size > 0)
      return `STRUCT(${[...fields].map(([name, inner]) => `${quoteName(name)} ${typeOf(inner, `${path}.${name}`)}`).join(', ')})`
    const told = String(schema[path] ?? '').replace('[]', '')
    if (told === 'integer' && !kinds.has('float')) return 'BIGINT'
    if (told === 'float' || (kinds.has('float') && !kinds.has('string'))) return 'DOUBLE'
    if (kinds.size === 1 && only === 'integer') return 'BIGINT'
    if (kinds.size === 1 && only === 'boolean') return 'BOOLEAN'
    if (kinds.has('object') || kinds.has('list')) return 'JSON'
    return 'VARCHAR'
  }

  return {
    add: (event) => see(root, event),
    columns: () =>
      [...root.fields].map(([name, field]) => [name, name === 'timestamp' ? 'BIGINT' : typeOf(field, name)]),
  }
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
