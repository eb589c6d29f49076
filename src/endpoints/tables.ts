/** Endpoints that other queries can use as tables: those in warehouse SQL. */
import type { Endpoint } from '../model/endpoint.ts'
import type { Published } from '../query/names.ts'

export const endpointTables = (endpoints: { list(accountId: number): Promise<Endpoint[]> }) => ({
  list: async (accountId: number): Promise<Published[]> =>
    (await endpoints.list(accountId)).filter(({ language }) => language === 'bq_sql'),
})
