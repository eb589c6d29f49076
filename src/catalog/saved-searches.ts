import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { InvalidRecord } from '../base/faults.ts'
import type { SavedSearch } from '../model/saved-search.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Database, Tables } from './tables.ts'

export type SavedSearches = ReturnType<typeof createSavedSearches>

/** The searches that were kept for each source; they go with it. A name and a search stand once per source. */
export function createSavedSearches({ db, clock }: { db: Database; clock: Clock }) {
  return {
    /** By name. */
    async list(sourceId: number): Promise<SavedSearch[]> {
      const rows = await db.selectFrom('saved_searches').selectAll().where('source_id', '=', sourceId).execute()
      return rows.map(fromRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },

    async create(sourceId: number, { name, lql, tailing }: Omit<SavedSearch, 'id'>): Promise<SavedSearch> {
      try {
        const row = await db
          .insertInto('saved_searches')
          .values({
            source_id: sourceId,
            name,
            lql,
            lql_hash: createHash('sha256').update(lql).digest('hex'),
            tailing: Number(tailing),
            inserted_at: new Date(clock.nowMs()).toISOString(),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        return fromRow(row)
      } catch (error) {
        const where = uniqueViolation(error)
        if (where === null) throw error
        throw new InvalidRecord(
          where.includes('lql') ? { lql: ['is saved already'] } : { name: ['has already been taken'] },
        )
      }
    },

    /** Whether there was one. */
    async remove(sourceId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('saved_searches')
        .where('source_id', '=', sourceId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}

const fromRow = ({ id, name, lql, tailing }: Selectable<Tables['saved_searches']>): SavedSearch => ({
  id,
  name,
  lql,
  tailing: tailing === 1,
})
