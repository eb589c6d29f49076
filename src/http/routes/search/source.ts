import type { Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Source } from '../../../model/source.ts'

export async function sourceOf({ sources }: Catalog, { account }: Identity, token: string): Promise<Source> {
  const source = await sources.byToken(account.id, token)
  if (!source) throw new Fault('not_found', 'There is no source with this token.')
  return source
}
