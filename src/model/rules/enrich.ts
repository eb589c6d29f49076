import { type Accessor, parseAccessor } from './accessor.ts'
import { BadLine, parseDestination, parseLines, parsePath } from './lines.ts'

/** Looks the value at `lookup` up as a key and writes the stored value, or the part `accessor` selects, at `to`. */
export type EnrichRule = { lookup: string[]; to: string[]; accessor: Accessor | null }

/** Reads `lookup_field:destination_field[:accessor_path]` lines; throws `BadRules` naming every bad line. */
export function parseEnrichRules(text: string): EnrichRule[] {
  return parseLines(text, (line) => {
    // Field names hold no colon, so everything after the second one belongs to the accessor, colons included.
    const [lookup, to, ...accessor] = line.split(':')
    if (lookup === undefined || to === undefined) {
      throw new BadLine(
        'an enrichment rule is lookup_field:destination_field or lookup_field:destination_field:accessor',
      )
    }
    return {
      lookup: parsePath(lookup),
      to: parseDestination(to),
      accessor: accessor.length > 0 ? readableAccessor(accessor.join(':').trim()) : null,
    }
  })
}

function readableAccessor(text: string): Accessor {
  const accessor = parseAccessor(text)
  if ('problem' in accessor) throw new BadLine(accessor.problem)
  return accessor
}
