/** The catalog of a deployment on this machine, opened as the service itself would, beside it if it runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { loadSecretKey, parseSecretKey } from '../catalog/secrets.ts'
import type { Settings } from '../settings.ts'
import { Failure } from './failure.ts'

export async function openLocalCatalog({ dataDir, databaseUrl, secretKey }: Settings): Promise<Catalog> {
  const file = join(dataDir, 'catalog.sqlite')
  if (!databaseUrl && !existsSync(file))
    throw new Failure(
      1,
      `There is no catalog in ${dataDir}.`,
      'Run this where the service runs, with the same MILLRACE_DATA or DATABASE_URL.',
    )
  return openCatalog({
    ...(databaseUrl ? { url: databaseUrl } : { file }),
    secretKey: secretKey ? parseSecretKey(secretKey) : await loadSecretKey(join(dataDir, 'secret.key')),
    clock: systemClock,
  })
}
