import { z } from 'zod'
import { isUuid } from '../../base/ids.ts'
import { type Ask, askJson, askList, Refusal, type Tool } from '../tool.ts'

const input = z.strictObject({
  endpoint: z.string().min(1).max(255).describe('Name or UUID of the endpoint'),
  parameters: z.record(z.string(), z.unknown()).default({}).describe('Values of its parameters, by name'),
  sql: z.string().optional().describe('A query over its WITH queries, where the endpoint is sandboxable'),
})

export const runEndpoint: Tool<typeof input> = {
  name: 'run_endpoint',
  title: 'Run an endpoint',
  description:
    'Runs a published query with the given parameters and gives its rows. Answers may come out of a cache. ' +
    'list_endpoints tells the names and parameters.',
  input,
  async run({ endpoint, parameters, sql }, ask) {
    const name = encodeURIComponent(await addressOf(ask, endpoint))
    return askJson(ask, 'POST', `/api/endpoints/query/${name}`, { ...parameters, ...(sql ? { sql } : {}) })
  },
}

/** By UUID every endpoint can be asked, by name only some; a token that may not list them has to try the name. */
async function addressOf(ask: Ask, endpoint: string): Promise<string> {
  if (isUuid(endpoint)) return endpoint
  const endpoints = await askList(ask, '/api/endpoints').catch((error: unknown) => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (!endpoints) return endpoint
  const found = endpoints.find(({ name }) => name === endpoint)
  if (typeof found?.token === 'string') return found.token
  throw new Refusal(`There is no endpoint ${JSON.stringify(endpoint)}.`)
}
