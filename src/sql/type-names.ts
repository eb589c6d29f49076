import type { Cursor } from './cursor.ts'
import type { TypeName } from './tree.ts'

/** A type as written in CAST, `::`, ARRAY<…> and STRUCT<…>. Whether the name is known is asked by the translation. */
export function parseTypeName(cursor: Cursor): TypeName {
  return cursor.nested(() => {
    if (cursor.takeWords('array')) {
      cursor.expectSymbol('<')
      const of = parseTypeName(cursor)
      cursor.expectClosingAngle()
      return { kind: 'array', of }
    }
    if (cursor.takeWords('struct')) {
      cursor.expectSymbol('<')
      const fields = cursor.list(() => {
        const named =
          cursor.startsName() && (cursor.startsName(1) || cursor.isWord('array', 1) || cursor.isWord('struct', 1))
        return { name: named ? cursor.take().text : null, type: parseTypeName(cursor) }
      })
      cursor.expectClosingAngle()
      return { kind: 'struct', fields }
    }
    const name = cursor.takeName('a type').toLowerCase()
    if (cursor.takeSymbol('(')) {
      cursor.list(() => {
        const { kind } = cursor.take()
        if (kind !== 'number') throw cursor.fail('a number')
      })
      cursor.expectSymbol(')')
    }
    return { kind: 'scalar', name }
  })
}
