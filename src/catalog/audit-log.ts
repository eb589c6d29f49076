import type { Clock } from '../base/clock.ts'
import { AuditEntry } from '../model/audit.ts'
import type { Database } from './tables.ts'

export type AuditLog = ReturnType<typeof createAuditLog>

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at'>

/** Who changed what, by account. */
export function createAuditLog({ db, clock }: { db: Database; clock: Clock }) {
  return {
    async add(accountId: number, entry: NewAuditEntry): Promise<void> {
      const at = new Date(clock.nowMs()).toISOString()
      const row = { ...entry, account_id: accountId, at, fields: JSON.stringify(entry.fields) }
      await db.insertInto('audit_log').values(row).execute()
    },

    /** Newest first; `before` is the id of the last entry of the page before. */
    async list(accountId: number, { limit, before }: { limit: number; before: number | null }): Promise<AuditEntry[]> {
      const all = db.selectFrom('audit_log').selectAll().where('account_id', '=', accountId)
      const rows = await (before === null ? all : all.where('id', '<', before))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => AuditEntry.parse({ ...row, fields: JSON.parse(row.fields) }))
    },

    async prune(beforeMs: number): Promise<void> {
      await db.deleteFrom('audit_log').where('at', '<', new Date(beforeMs).toISOString()).execute()
    },
  }
}
