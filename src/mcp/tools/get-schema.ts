import { z } from 'zod'
import { sourceToken } from '../find.ts'
import { askJson, type Tool } from '../tool.ts'

const input = z.strictObject({ source: z.string().min(1).describe('Name or UUID of the source') })

export const getSchema: Tool<typeof input> = {
  name: 'get_schema',
  title: 'Fields of a source',
  description:
    'Lists the fields of a source, as path and type (string, integer, float, boolean, datetime, or a list such as ' +
    'string[]). Look here before you search or query: only these fields can be named.',
  input,
  async run({ source }, ask) {
    const token = await sourceToken(ask, source)
    return { source, fields: await askJson(ask, 'GET', `/api/sources/${token}/schema?variant=dot`) }
  },
}
