/** Ingest over a catalog and a journal in memory, for listeners to store into. */
import { createAccess } from '../access/access.ts'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { createMetrics } from '../base/metrics.ts'
import { openCatalog } from '../catalog/catalog.ts'
import { createQuotas } from '../ingest/quotas.ts'
import { asStored, createTrial } from '../ingest/testing.ts'
import { createStore } from './store.ts'

export async function createStage() {
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const access = createAccess({ catalog, clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const { value: token } = await catalog.tokens.create(account.id, { scopes: 'ingest' })
  const app = await catalog.sources.create(account, { name: 'app' })
  const web = await catalog.sources.create(account, { name: 'web' })
  const trial = createTrial()
  for (const source of [app, web]) trial.schemas.of(source.token, {})
  const room = { isThere: true }
  const warnings: object[] = []
  const store = createStore({
    access,
    accept: trial.accept,
    quotas: createQuotas({ rates: trial.rates }),
    assertRoom: () => {
      if (!room.isThere) throw new Fault('busy', 'There is no room.')
    },
  })
  return {
    token,
    app,
    web,
    room,
    store,
    trial,
    warnings,
    metrics: createMetrics(),
    log: { warn: (details: object) => void warnings.push(details) },
    /** What is stored in a source, in order. */
    stored: ({ token }: { token: string } = app) => trial.rows(token).map(asStored),
    async stop() {
      await access.stop()
      await catalog.stop()
    },
  }
}
