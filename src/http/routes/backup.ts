/** A backup of the whole service, every account of it: for the first account only. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Backup } from '../../backup/backup.ts'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { FinishedBody, nothing, type Routes } from '../route.ts'

export type BackupParts = { catalog: Catalog; backup: Backup }

export function addBackupRoutes(routes: Routes, { catalog, backup }: BackupParts): void {
  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/backup',
    area: 'backup',
    summary:
      'All events and settings as of now, as a tar archive whose last file lists the checksums of the others; ' +
      '`millrace restore` makes a data folder of it (first account only)',
    query: z.object({
      /** Whether the key of stored secrets is in the archive. */
      secret_key: z.enum(['true', 'false']).default('true'),
    }),
    status: 200,
    answer: z.string(),
    contentType: 'application/x-tar',
    async run({ identity, query, signal }) {
      const owner = await catalog.accounts.owner()
      if (owner?.id !== identity.account.id)
        throw new Fault('forbidden', 'This needs a token with the scope management of the first account.')
      const bytes = Readable.from(await backup.begin({ withSecretKey: query.secret_key === 'true' }), {
        objectMode: false,
      })
      signal.addEventListener('abort', () => bytes.destroy(), { once: true })
      if (signal.aborted) bytes.destroy()
      return new FinishedBody('application/x-tar', bytes)
    },
  })
}
