import { z } from 'zod'
import { askList, pick, type Tool } from '../tool.ts'

const input = z.strictObject({})

export const listEndpoints: Tool<typeof input> = {
  name: 'list_endpoints',
  title: 'List endpoints',
  description:
    'Lists endpoints: prepared queries that somebody published, with name, UUID, description, the parameters they take ' +
    'and their SQL. Prefer a fitting endpoint to a query of your own.',
  input,
  async run(_, ask) {
    const endpoints = await askList(ask, '/api/endpoints')
    const names = ['name', 'token', 'description', 'parameters', 'sandboxable', 'max_limit', 'language', 'query']
    return { endpoints: endpoints.map((endpoint) => pick(endpoint, names)) }
  },
}
