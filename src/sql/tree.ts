/**
 * The tree of one warehouse SQL query. Nodes are plain values: parsing makes them, expansion and sandboxing put them
 * together anew, translation and printing read them. `at` is the offset in the text the node came from.
 */
export type Name = { text: string; quoted: boolean }

export type TypeName =
  | { kind: 'scalar'; name: string }
  | { kind: 'array'; of: TypeName }
  | { kind: 'struct'; fields: { name: string | null; type: TypeName }[] }

export type Order = { value: Expr; descending: boolean; nulls: 'first' | 'last' | null }

export type Frame = { unit: 'rows' | 'range'; from: FrameEdge; to: FrameEdge | null }
export type FrameEdge =
  | { kind: 'unbounded' | 'value'; value: Expr | null; side: 'preceding' | 'following' }
  | { kind: 'current' }

export type Window = { base: string | null; partitionBy: Expr[]; orderBy: Order[]; frame: Frame | null }

export type Call = {
  kind: 'call'
  /** Lower case, dotted when the call is: `net.host`. `safe.` is taken off and kept in `safe`. */
  name: string
  args: Expr[]
  safe: boolean
  star: boolean
  distinct: boolean
  nulls: 'ignore' | 'respect' | null
  having: { most: boolean; value: Expr } | null
  orderBy: Order[]
  limit: Expr | null
  over: Window | null
  at: number
}

export type BinaryOperator =
  | 'and'
  | 'or'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '||'
  | '&'
  | '|'
  | '^'
  | '<<'
  | '>>'

export type PositionMode = 'offset' | 'ordinal' | 'safe_offset' | 'safe_ordinal' | 'plain'

export type Path = { kind: 'path'; parts: Name[]; at: number }

export type Expr =
  | { kind: 'string'; value: string; at: number }
  | { kind: 'bytes'; value: string; at: number }
  | { kind: 'number'; text: string; at: number }
  | { kind: 'boolean'; value: boolean; at: number }
  | { kind: 'null'; at: number }
  | { kind: 'typed'; type: string; text: string; at: number }
  | { kind: 'parameter'; name: string; at: number }
  | Path
  | { kind: 'field'; of: Expr; name: string; at: number }
  | { kind: 'element'; of: Expr; mode: PositionMode; index: Expr; at: number }
  | { kind: 'unary'; operator: '-' | '+' | '~' | 'not'; of: Expr; at: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Expr; right: Expr; at: number }
  | { kind: 'is'; of: Expr; not: boolean; what: 'null' | 'true' | 'false' | 'unknown'; at: number }
  | { kind: 'distinct'; left: Expr; right: Expr; not: boolean; at: number }
  | { kind: 'between'; of: Expr; not: boolean; low: Expr; high: Expr; at: number }
  | { kind: 'like'; of: Expr; not: boolean; pattern: Expr; at: number }
  | { kind: 'inList'; of: Expr; not: boolean; items: Expr[]; at: number }
  | { kind: 'inQuery'; of: Expr; not: boolean; query: Query; at: number }
  | { kind: 'inArray'; of: Expr; not: boolean; array: Expr; at: number }
  | { kind: 'case'; of: Expr | null; whens: { when: Expr; result: Expr }[]; otherwise: Expr | null; at: number }
  | { kind: 'cast'; of: Expr; to: TypeName; safe: boolean; at: number }
  | { kind: 'extract'; part: Expr; of: Expr; zone: Expr | null; at: number }
  | { kind: 'interval'; of: Expr; unit: string; at: number }
  | { kind: 'array'; items: Expr[]; of: TypeName | null; at: number }
  | { kind: 'struct'; items: { value: Expr; name: string | null }[]; type: TypeName | null; at: number }
  | { kind: 'scalarQuery'; query: Query; at: number }
  | { kind: 'arrayQuery'; query: Query; at: number }
  | { kind: 'exists'; query: Query; at: number }
  | Call

export type Item =
  | { kind: 'value'; value: Expr; alias: string | null; at: number }
  | { kind: 'star'; of: Expr | null; except: string[]; replace: { value: Expr; name: string }[]; at: number }

export type JoinKind = 'inner' | 'left' | 'right' | 'full' | 'cross'

export type Relation =
  /** `source`: the token of the source it is tied to, when its name alone does not say. */
  | { kind: 'table'; parts: Name[]; alias: string | null; source?: string; at: number }
  | { kind: 'derived'; query: Query; alias: string | null; at: number }
  | { kind: 'unnest'; of: Expr; alias: string | null; offset: string | null; at: number }
  | {
      kind: 'join'
      join: JoinKind
      left: Relation
      right: Relation
      on: Expr | null
      using: string[] | null
      at: number
    }

export type Grouping =
  | { kind: 'none' }
  | { kind: 'by'; items: Expr[] }
  | { kind: 'all' }
  | { kind: 'rollup' | 'cube'; items: Expr[] }

export type Select = {
  kind: 'select'
  distinct: boolean
  asStruct: boolean
  items: Item[]
  from: Relation | null
  where: Expr | null
  groupBy: Grouping
  having: Expr | null
  qualify: Expr | null
  windows: { name: string; window: Window }[]
  at: number
}

export type Body =
  | Select
  | { kind: 'set'; operator: 'union' | 'except' | 'intersect'; all: boolean; left: Body; right: Body; at: number }
  | { kind: 'nested'; query: Query; at: number }

export type Cte = { name: string; query: Query; at: number }

export type Query = {
  ctes: Cte[]
  recursive: boolean
  body: Body
  orderBy: Order[]
  limit: Expr | null
  offset: Expr | null
  /** A sealed query sees the CTEs around it and nothing else: no source, no endpoint. */
  sealed: boolean
  at: number
}

/** The dotted text of a name as it is looked up: `a.b.c` whether quoted as a whole, in parts or not at all. */
export const dotted = (parts: Name[]): string => parts.map((part) => part.text).join('.')
