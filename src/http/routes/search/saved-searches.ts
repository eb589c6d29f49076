import { z } from 'zod'
import { Fault, InvalidRecord } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { LqlError, parse, print } from '../../../lql/lql.ts'
import { NewSavedSearch, SavedSearch } from '../../../model/saved-search.ts'
import { byToken, nothing, type Routes } from '../../route.ts'
import { sourceOf } from './source.ts'

const NAME_MAX = 255

export function addSavedSearchRoutes(routes: Routes, { catalog }: { catalog: Catalog }): void {
  const area = 'search'
  const path = '/api/sources/:token/saved-searches'

  routes.add({
    ...nothing,
    method: 'GET',
    path,
    area,
    summary: 'The saved searches of a source, by name',
    params: byToken,
    status: 200,
    answer: z.array(SavedSearch),
    run: async ({ identity, params }) =>
      catalog.savedSearches.list((await sourceOf(catalog, identity, params.token)).id),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path,
    area,
    summary: 'Save a search; its LQL is kept in canonical form',
    params: byToken,
    body: NewSavedSearch,
    status: 201,
    answer: SavedSearch,
    async run({ identity, params, body }) {
      const source = await sourceOf(catalog, identity, params.token)
      const lql = canonical(body.lql)
      const name = body.name ?? lql.slice(0, NAME_MAX)
      if (name === '') throw new InvalidRecord({ name: ["can't be blank"] })
      return catalog.savedSearches.create(source.id, { name, lql, tailing: body.tailing ?? true })
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: `${path}/:id`,
    area,
    summary: 'Forget a saved search',
    params: z.object({ token: z.uuid(), id: z.coerce.number().int().min(1).max(2_147_483_647) }),
    status: 204,
    async run({ identity, params }) {
      const source = await sourceOf(catalog, identity, params.token)
      if (!(await catalog.savedSearches.remove(source.id, params.id)))
        throw new Fault('not_found', 'There is no saved search with this id in this source.')
      return undefined
    },
  })
}

/** Fields are not checked: a search may be saved before the first event that has them. */
function canonical(text: string): string {
  try {
    return print(parse(text))
  } catch (error) {
    if (error instanceof LqlError) throw new InvalidRecord({ lql: [error.message] }, error.details)
    throw error
  }
}
