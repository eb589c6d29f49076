/**
 * What every row that a query can use must hold, as far as its conditions say so plainly. Parts of the warehouse that
 * hold none of it need not be read. Too few needles only cost time; a wrong one would hide rows.
 */
export type Needles = {
  /** Pieces of text in `event_message`, case and all. */
  contains: string[]
  /** Fields (dotted paths, or `id`) whose text is one of these. */
  equals: { field: string; anyOf: string[] }[]
}

export const NO_NEEDLES: Needles = { contains: [], equals: [] }
