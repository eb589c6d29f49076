import type { FlatFields } from '../model/fields.ts'
import type { Frame, Position } from '../model/journal.ts'
import type { Batch } from './batch.ts'
import type { Schemas } from './schema/schemas.ts'

type Parts = { schemas: Schemas; journal: { append(frames: Frame[]): Promise<Position> } }

/**
 * Makes the batches of a request durable in one append: all of them or none. A source's new fields stand before its
 * rows; fields that an earlier append failed to store go with this one, as its rows may use them too.
 */
export function createAppend({ schemas, journal }: Parts): (batches: readonly Batch[]) => Promise<void> {
  return async function append(batches) {
    const frames: Frame[] = []
    const grown: { token: string; newFields: FlatFields }[] = []
    for (const { source, fields, rows } of batches) {
      if (rows.count === 0) continue
      const { token } = source
      const newFields = fields.unjournaled()
      if (newFields !== null) {
        const text = Buffer.from(JSON.stringify(newFields))
        frames.push({ kind: 'fields', source: token, count: 0, minUs: 0, maxUs: 0, body: text })
        grown.push({ token, newFields })
      }
      const { count, minUs, maxUs, body } = rows
      frames.push({ kind: 'events', source: token, count, minUs, maxUs, body })
    }
    if (frames.length === 0) return
    const end = await journal.append(frames)
    for (const { token, newFields } of grown) schemas.confirmed(token, newFields, end)
  }
}
