/** Finds the place of a source's events. */
import { originOf } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import type { Places } from './place.ts'
import { createStorePlace } from './store-place.ts'
import { createWarehousePlace } from './warehouse-place.ts'

type Parts = {
  warehouse: Pick<Warehouse, 'search' | 'read'>
  stores: Pick<Stores, 'ask'>
  schemas: { all(token: string): FlatFields }
  clock: Clock
}

export function createPlaces({ warehouse, stores, schemas, clock }: Parts): Places {
  return {
    async of(source) {
      if (source.home_id === null) return createWarehousePlace(warehouse, source)
      const store = await stores.ask(source.account_id, source.home_id)
      if (!store.home) throw new Fault('unavailable', 'The backend in which this source lives cannot be asked.')
      return createStorePlace({ store, home: store.home, source: originOf(source, schemas.all), clock })
    },
  }
}
