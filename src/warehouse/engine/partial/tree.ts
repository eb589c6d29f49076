/** The engine's own parse trees, as far as they are looked into: a node is an object, an expression has a `class`. */
export type Node = { [key: string]: unknown }

/** `children` of a tree are found under many names, so whole documents are walked. */
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

export const nameOf = ({ function_name }: Node): string => String(function_name ?? '').toLowerCase()

/** Whether any node of the tree is one of these. */
export function hasAny(value: unknown, isOne: (node: Node) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each) => hasAny(each, isOne))
  if (!isNode(value)) return false
  return isOne(value) || Object.values(value).some((child) => hasAny(child, isOne))
}

/** Equal for trees that mean the same, wherever they stand in a text and whatever they are called there. */
export const sameness = (value: unknown): string =>
  JSON.stringify(value, (key, child: unknown) => {
    if (key === 'query_location' || key === 'alias') return undefined
    return key === 'schema' && child === 'main' ? '' : child
  })

export const column = (name: string, alias = ''): Node => ({
  class: 'COLUMN_REF',
  type: 'COLUMN_REF',
  alias,
  query_location: 0,
  column_names: [name],
})

export const constant = (value: number): Node => ({
  class: 'CONSTANT',
  type: 'VALUE_CONSTANT',
  alias: '',
  query_location: 0,
  value: { type: { id: 'INTEGER', type_info: null }, is_null: false, value },
})

/** The whole number that a constant stands for: places in the select list are written so, and most limits. */
export function wholeConstant(value: unknown): number | null {
  const found = isNode(value) && value.class === 'CONSTANT' && isNode(value.value) ? value.value.value : null
  return typeof found === 'number' && Number.isInteger(found) ? found : null
}

/** The one SELECT over one table that a statement is; null for anything more. */
export function plainSelect(document: unknown, table: string): { statement: Node; select: Node } | null {
  const [statement, ...more] = nodesIn(isNode(document) ? document.statements : null)
  const select = statement?.node
  if (!statement || more.length > 0 || !isNode(select) || select.type !== 'SELECT_NODE') return null
  const { from_table: from, cte_map: ctes, aggregate_handling: handling } = select
  const isPlain =
    isNode(from) &&
    from.type === 'BASE_TABLE' &&
    from.table_name === table &&
    isNode(ctes) &&
    nodesIn(ctes.map).length === 0 &&
    handling === 'STANDARD_HANDLING' &&
    select.sample === null &&
    select.qualify === null &&
    !hasAny(select, ({ class: kind }) => kind === 'SUBQUERY' || kind === 'WINDOW' || kind === 'STAR')
  return isPlain ? { statement, select } : null
}
