import { z } from 'zod'
import { askList, pick, recordOf, type Tool } from '../tool.ts'

const input = z.strictObject({})

export const listSources: Tool<typeof input> = {
  name: 'list_sources',
  title: 'List sources',
  description:
    'Lists the sources of log events: name, UUID, description, how many days events are kept, how many events there are ' +
    'and how many arrive per second. Begin here to learn where to look.',
  input,
  async run(_, ask) {
    const sources = await askList(ask, '/api/sources')
    return {
      sources: sources.map((source) => ({
        ...pick(source, ['name', 'token', 'description', 'service_name', 'retention_days']),
        ...pick(recordOf(source.metrics), ['total', 'rate', 'fields']),
      })),
    }
  },
}
