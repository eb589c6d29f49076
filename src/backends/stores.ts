/**
 * Backends that can be asked, connected when somebody asks and for as long as their settings stay the same. Their
 * connections are not those of delivery, so neither waits for the other.
 */
import { Fault } from '../base/faults.ts'
import type { Backend } from '../model/backend.ts'
import { kindOf } from './backends.ts'
import { type Receiver, type Store, type StoreDialect, SURROUNDINGS, type Surroundings } from './kind.ts'

export type Stores = {
  /** Refuses what is no backend of the account, and one that only takes events. */
  ask(accountId: number, backendId: number): Promise<Store>
  /** The account's first backend of this dialect; the managed one when it has no other. */
  first(accountId: number, dialect: StoreDialect): Promise<number | null>
  dialectOf(accountId: number, backendId: number): Promise<StoreDialect | null>
  stop(): void
}

type Parts = {
  backends: {
    byId(accountId: number, id: number): Promise<Backend | null>
    list(accountId: number): Promise<Backend[]>
    managed?(accountId: number): Promise<Backend | null>
  }
  surroundings?: Surroundings
}

export function createStores({ backends, surroundings = SURROUNDINGS }: Parts): Stores {
  const open = new Map<number, { receiver: Receiver; mark: string }>()

  async function find(accountId: number, backendId: number): Promise<Backend> {
    const backend = await backends.byId(accountId, backendId)
    if (!backend) throw new Fault('bad_request', 'Backend not found')
    return backend
  }

  function connect({ id, type, config, updated_at }: Backend): Receiver {
    const mark = `${updated_at} ${JSON.stringify(config)}`
    const known = open.get(id)
    if (known?.mark === mark) return known.receiver
    known?.receiver.stop()
    const receiver = kindOf(type).connect(config, surroundings)
    open.set(id, { receiver, mark })
    return receiver
  }

  return {
    async ask(accountId, backendId) {
      const backend = await find(accountId, backendId)
      const store = kindOf(backend.type).dialect ? connect(backend).store : undefined
      if (!store) throw new Fault('bad_request', 'Backend does not support querying')
      return store
    },
    async first(accountId, dialect) {
      const managed = await backends.managed?.(accountId)
      const all = [...(await backends.list(accountId)), ...(managed ? [managed] : [])]
      return all.find(({ type }) => kindOf(type).dialect === dialect)?.id ?? null
    },
    dialectOf: async (accountId, backendId) => kindOf((await find(accountId, backendId)).type).dialect ?? null,
    stop() {
      for (const { receiver } of open.values()) receiver.stop()
      open.clear()
    },
  }
}
