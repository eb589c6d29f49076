/** Sources that live in backends: where new ones live, and what has to be done there when a source changes. */
import type { Logger } from 'pino'
import type { Delivery } from '../backends/delivery/delivery.ts'
import { createHomes, type Homes } from '../backends/homes.ts'
import { originOf } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { Fault } from '../base/faults.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Source } from '../model/source.ts'
import type { Settings } from '../settings.ts'

/** The catalog as everybody gets it: a source that is made without a word about its home lives where the settings say. */
export async function withHomes(
  catalog: Catalog,
  settings: Pick<Settings, 'defaultHome'>,
): Promise<{ catalog: Catalog; homes: Homes }> {
  const homes = createHomes({ backends: catalog.backends, chosen: settings.defaultHome })
  await homes.refresh((await catalog.accounts.list()).map(({ id }) => id))
  const { sources } = catalog
  return {
    homes,
    catalog: {
      ...catalog,
      sources: {
        ...sources,
        async create(account, chosen, homeId) {
          const wantsDefault = chosen['default_ingest_backend_enabled?'] ?? false
          const home = homeId === undefined ? await homes.ofNew(account.id, { wantsDefault }) : homeId
          return sources.create(account, chosen, home)
        },
      },
    },
  }
}

type Parts = {
  stores: Pick<Stores, 'ask'>
  delivery: Pick<Delivery, 'empty' | 'hasRoom' | 'isAway' | 'refresh'>
  fields(token: string): FlatFields
  log: Logger
}

type HomeSource = { token: string; home_id?: number | null }

/** What a change of a source means for the backend in which it lives. */
export function createHomekeeping({ stores, delivery, fields, log }: Parts) {
  async function homeOf({ account_id, home_id }: Source) {
    return home_id === null ? null : ((await stores.ask(account_id, home_id)).home ?? null)
  }

  return {
    /** Deletes there what is past a new retention. Nobody waits for it: readings know the retention by themselves. */
    settle(source: Source): void {
      homeOf(source)
        .then((home) => home?.prepare(originOf(source, fields)))
        .catch((error) => log.warn({ err: error }, `the home of ${source.name} could not be prepared`))
    },

    async clear(source: Source): Promise<void> {
      const home = await homeOf(source)
      if (home) await delivery.empty(source.token, () => home.clear(source.token))
    },

    /** The source is no more: nothing is on its way there any longer. */
    async remove(source: Source): Promise<void> {
      try {
        const home = await homeOf(source)
        if (!home) return
        await delivery.refresh()
        await home.remove(source.token)
      } catch (error) {
        log.warn({ err: error }, `the events of ${source.name} could not be deleted where they live`)
      }
    },

    assertRoom(source: HomeSource): void | Promise<void> {
      // Made by another node a moment ago: without a way to its home its events would stay in the warehouse of this one.
      const isUnknown = (source.home_id ?? null) !== null && !delivery.isAway(source.token)
      return isUnknown ? delivery.refresh().then(() => assertHasRoom(source)) : assertHasRoom(source)
    },
  }

  function assertHasRoom({ token }: HomeSource): void {
    if (!delivery.hasRoom(token))
      throw new Fault(
        'unavailable',
        'The backend in which this source lives takes no events, and no more may wait for it. Send the events again later.',
      )
  }
}
