import { z } from 'zod'
import { askJson, type Tool } from '../tool.ts'

const SQL_MAX = 100_000

const input = z.strictObject({
  sql: z.string().min(1).max(SQL_MAX).describe('One SELECT statement in GoogleSQL (BigQuery) syntax'),
  parameters: z.record(z.string(), z.unknown()).default({}).describe('Values of @name parameters in the statement'),
})

export const query: Tool<typeof input> = {
  name: 'query',
  title: 'Run SQL',
  description:
    'Runs one read-only SQL statement in GoogleSQL (BigQuery) syntax over sources, which are tables: select ' +
    'timestamp_trunc(timestamp, minute) as minute, count(*) as n from `my-app` where timestamp > timestamp_sub(current_timestamp(), ' +
    "interval 1 hour) and metadata.level = 'error' group by minute order by minute. Every source must be filtered on " +
    'timestamp in WHERE. At most 1000 rows: aggregate rather than fetch. Nested fields are named with dots.',
  input,
  async run({ sql, parameters }, ask) {
    return askJson(ask, 'POST', '/api/query', { sql, parameters })
  },
}
