/** Opens the catalog and sees to it that it has an account to begin with. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from '../base/clock.ts'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { loadSecretKey, parseSecretKey } from '../catalog/secrets.ts'
import type { Account } from '../model/account.ts'
import { nodeToken } from '../peers/node-token.ts'
import type { Settings } from '../settings.ts'

export type FirstStart = { managementToken: string; sourceName: string }

const FIRST_SOURCE = 'getting-started'

export const secretKeyOf = async ({ secretKey, dataDir }: Settings): Promise<Buffer> =>
  secretKey ? parseSecretKey(secretKey) : loadSecretKey(join(dataDir, 'secret.key'))

export async function openTheCatalog(settings: Settings, log: Logger): Promise<Catalog> {
  const place = settings.databaseUrl
    ? { url: settings.databaseUrl }
    : { file: join(settings.dataDir, 'catalog.sqlite') }
  return openCatalog({
    ...place,
    secretKey: await secretKeyOf(settings),
    ...(settings.databaseUrl ? { node: nodeToken(settings.dataDir) } : {}),
    clock: systemClock,
    onIdleError: (error) => log.warn({ err: error }, 'the connection to the catalog was lost and will be made again'),
  })
}

/** One owner account with a token; a newcomer also gets a source to send the first event to. */
export async function prepareAccount(
  catalog: Catalog,
  settings: Settings,
): Promise<{ account: Account; firstStart: FirstStart | null }> {
  const { account, isNew } = await catalog.accounts.ensureOwner()
  const fixed: [string, string, string | null][] = [
    ['MILLRACE_MANAGEMENT_TOKEN', 'management', settings.managementToken],
    ['MILLRACE_INGEST_TOKEN', settings.ingestScopes, settings.ingestToken],
  ]
  for (const [description, scopes, value] of fixed)
    if (value) await catalog.tokens.ensureFixed(account.id, { description, scopes, value })
  if (!isNew || settings.managementToken) return { account, firstStart: null }
  const { value } = await catalog.tokens.create(account.id, { description: 'first start', scopes: 'management' })
  await catalog.sources.create(account, { name: FIRST_SOURCE })
  return { account, firstStart: { managementToken: value, sourceName: FIRST_SOURCE } }
}
