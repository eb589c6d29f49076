/**
 * Where sources live: in the embedded warehouse, or in one backend that keeps events and can be asked, their home.
 *
 * New sources live where the deployment's settings say: nowhere else when they say nothing; in the account's backend
 * that they name; or at an address, for which each account gets a managed backend: it is not listed, changed or deleted.
 * Refuses: backends that cannot be a home, and an address that leads to none (`setup`).
 */
import { Fault, InvalidRecord } from '../base/faults.ts'
import type { Backends } from '../catalog/backends.ts'
import type { Backend } from '../model/backend.ts'
import type { Source } from '../model/source.ts'
import { kindOf, settleConfig } from './backends.ts'
import { isHomeAddress, readHomeAddress } from './home-address.ts'
import type { Options } from './kind.ts'

export const MANAGED_NAME = 'Default backend'

export type DefaultHome = {
  /** The name or token of a backend, or an address. */
  text: string
  /** Of PostgreSQL, for an address. */
  schema: string | null
}

export type Homes = ReturnType<typeof createHomes>

type Parts = {
  backends: Pick<Backends, 'byId' | 'byToken' | 'list' | 'managed' | 'create' | 'update'>
  chosen: DefaultHome | null
}

export const canBeHome = (type: string): boolean => kindOf(type).isHome === true

export function createHomes({ backends, chosen }: Parts) {
  const address = chosen && isHomeAddress(chosen.text) ? settled(readHomeAddress(chosen.text, chosen.schema)) : null
  const ensured = new Map<number, Promise<number>>()

  /** Makes the account's managed backend, or brings it up to date; once a process. */
  async function ensure(accountId: number, { type, config }: { type: string; config: Options }): Promise<number> {
    const known = await backends.managed(accountId)
    const settings = { name: MANAGED_NAME, description: null, config, metadata: {} }
    if (!known)
      return backends.create(accountId, { ...settings, type, managed: true }).then(
        ({ id }) => id,
        async (error: unknown) => {
          // Another node may have made it at the same moment.
          const made = await backends.managed(accountId)
          if (made) return made.id
          throw error
        },
      )
    if (known.type !== type)
      throw new Fault(
        'setup',
        `MILLRACE_DEFAULT_BACKEND now leads to ${type}, but sources live in the ${known.type} that it named before. Make that one a backend and move them first.`,
      )
    if (JSON.stringify(known.config) !== JSON.stringify(config)) await backends.update(known, settings)
    return known.id
  }

  function managed(accountId: number, place: { type: string; config: Options }): Promise<number> {
    const known = ensured.get(accountId) ?? ensure(accountId, place)
    ensured.set(accountId, known)
    known.catch(() => ensured.delete(accountId))
    return known
  }

  async function named(accountId: number, text: string): Promise<number> {
    const all = await backends.list(accountId)
    const found = all.find(({ token }) => token === text.toLowerCase()) ?? all.find(({ name }) => name === text)
    if (!found || !canBeHome(found.type))
      throw new InvalidRecord({
        home: [`MILLRACE_DEFAULT_BACKEND is "${text}", which is no backend of this account that sources can live in`],
      })
    return found.id
  }

  return {
    /** Where a new source of the account lives; null: in the embedded warehouse. */
    async ofNew(accountId: number, { wantsDefault = false } = {}): Promise<number | null> {
      if (address) return managed(accountId, address)
      if (chosen) return named(accountId, chosen.text)
      if (!wantsDefault) return null
      const first = (await backends.list(accountId)).find((one) => one['default_ingest?'] && canBeHome(one.type))
      return first?.id ?? null
    },

    async of({ account_id, home_id }: Pick<Source, 'account_id' | 'home_id'>): Promise<Backend | null> {
      return home_id === null ? null : backends.byId(account_id, home_id)
    },

    /** The backend with this token, if sources can live there. */
    async at(accountId: number, token: string): Promise<Backend> {
      const backend = await backends.byToken(accountId, token)
      if (!backend) throw new InvalidRecord({ home: ['names no backend of this account'] })
      if (!canBeHome(backend.type))
        throw new InvalidRecord({ home: [`events cannot live in a ${backend.type} backend`] })
      return backend
    },

    /** At the start: an account that has a managed backend, or sources to come, gets the address of today. */
    async refresh(accountIds: number[]): Promise<void> {
      if (address) for (const id of accountIds) await managed(id, address)
    },
  }
}

/** The service does not start with an address that cannot be used. */
function settled({ type, config }: { type: string; config: Options }): { type: string; config: Options } {
  try {
    return { type, config: settleConfig(type, config) }
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error
    const reasons = Object.entries(error.errors).map(([field, texts]) => `${field} ${texts.join(', ')}`)
    throw new Fault('setup', `MILLRACE_DEFAULT_BACKEND cannot be used: ${reasons.join('; ')}.`)
  }
}
