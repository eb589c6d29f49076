import { sql } from 'kysely'
import { addFields, type Fields, type FlatFields, flatFields, unknownFields, widerFields } from '../../model/fields.ts'
import type { Database } from '../tables.ts'

export type SharedFields = ReturnType<typeof createSharedFields>

/**
 * The fields of sources as all nodes together have seen them. The node that tells of a field first sets its type; later
 * ones can only widen it.
 */
export function createSharedFields({ db }: { db: Database }) {
  /** Transactions before this one were read. */
  let read = '0'

  return {
    /** Adds these; those of a source that is gone are forgotten. */
    async add(sourceToken: string, fields: FlatFields): Promise<void> {
      await db.transaction().execute(async (step) => {
        const source = await step
          .selectFrom('sources')
          .select('id')
          .where('token', '=', sourceToken)
          .forKeyShare()
          .executeTakeFirst()
        if (!source) return
        // One at a time for each source, also before there is a row to lock.
        await sql`select pg_advisory_xact_lock(hashtext('source_fields'), ${source.id})`.execute(step)
        const row = await step
          .selectFrom('source_fields')
          .select('fields')
          .where('source_id', '=', source.id)
          .executeTakeFirst()
        const tree: Fields = new Map()
        if (row) addFields(tree, JSON.parse(row.fields))
        addFields(tree, { ...unknownFields(tree, fields), ...widerFields(tree, fields) })
        const text = JSON.stringify(flatFields(tree))
        if (text === row?.fields) return
        const values = { fields: text, xid: sql<string>`pg_current_xact_id()` }
        await step
          .insertInto('source_fields')
          .values({ source_id: source.id, ...values })
          .onConflict((conflict) => conflict.column('source_id').doUpdateSet(values))
          .execute()
      })
    },

    /** Those that were added since the last call; the first one answers all. Some may come twice. */
    async fresh(): Promise<{ source: string; fields: FlatFields }[]> {
      const { rows: marks } = await sql<{
        next: string
      }>`select pg_snapshot_xmin(pg_current_snapshot())::text as next`.execute(db)
      const rows = await db
        .selectFrom('source_fields')
        .innerJoin('sources', 'sources.id', 'source_fields.source_id')
        .select(['sources.token as source', 'source_fields.fields'])
        .where(sql<boolean>`source_fields.xid >= ${read}::xid8`)
        .execute()
      read = marks[0]!.next
      return rows.map(({ source, fields }) => ({ source, fields: JSON.parse(fields) }))
    },
  }
}
