/** What every search is asked with. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { sourceOf } from './source.ts'

/** Longer texts are refused where LQL is read, with the place at which they become too long. */
export const asked = {
  lql: z.string().default(''),
  /** For times without an offset. */
  tz: z.string().min(1).max(64).default('UTC'),
  force: z.enum(['true', 'false']).default('false'),
}

export const createQuestionOf =
  (catalog: Catalog) =>
  async (
    { identity, signal }: { identity: Identity; signal: AbortSignal },
    token: string,
    { lql, tz, force }: { lql: string; tz: string; force: string },
  ) => ({
    source: await sourceOf(catalog, identity, token),
    lql,
    timeZone: tz,
    force: force === 'true',
    signal,
  })
