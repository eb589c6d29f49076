import { z } from 'zod'
import type { Catalog } from '../../../catalog/catalog.ts'
import { check, parse } from '../../../lql/lql.ts'
import type { FlatFields } from '../../../model/fields.ts'
import { parsedOf } from '../../../query/search/rules.ts'
import { nothing, type Routes } from '../../route.ts'
import { sourceOf } from './source.ts'

export type LqlParts = { catalog: Catalog; schemas: { journaled(token: string): FlatFields } }

export function addLqlRoutes(routes: Routes, { catalog, schemas }: LqlParts): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/lql/parse',
    area: 'search',
    summary: 'An LQL query in canonical form and as rules; with `source` its fields are checked too',
    query: z.object({ lql: z.string().default(''), source: z.uuid().optional() }),
    status: 200,
    answer: z.object({ canonical: z.string(), rules: z.array(z.looseObject({ kind: z.string() })) }),
    async run({ identity, query: { lql, source: token } }) {
      const query = parse(lql)
      if (token !== undefined) {
        const source = await sourceOf(catalog, identity, token)
        check(query, lql, schemas.journaled(source.token))
      }
      return parsedOf(query)
    },
  })
}
