import { recordOf } from '../api.ts'
import type { Command } from '../command.ts'
import { wrongUse } from '../failure.ts'
import { givenText } from '../input.ts'
import { readPairs } from '../pairs.ts'
import { table, write, writeJson, writeLine } from '../print.ts'

const FORMATS = ['table', 'json', 'ndjson', 'csv', 'parquet']

export const query: Command = {
  name: 'query',
  summary: 'Run a SQL query',
  usage: '<sql>',
  about:
    'One read-only statement in GoogleSQL (BigQuery) syntax; every source must be filtered on timestamp. The text may be\n' +
    '@file or - for standard input. At most 1000 rows come back.',
  options: {
    format: { type: 'string', short: 'f', value: FORMATS.join('|'), summary: 'The form of the rows; default table' },
    param: {
      type: 'string',
      short: 'p',
      value: 'name=value',
      summary: 'A parameter of the query; may be repeated',
      isMany: true,
    },
  },
  isRemote: true,
  arguments: { min: 1, max: 1 },
  examples: [
    "millrace query 'select count(*) as n from `my-app` where timestamp > timestamp_sub(current_timestamp(), interval 1 day)'",
    'millrace query @slow.sql --format csv > slow.csv',
  ],
  async run(call) {
    const { stdout, stderr } = call
    const format = call.text('format') ?? (call.is('json') ? 'json' : 'table')
    if (!FORMATS.includes(format)) throw wrongUse(`--format must be one of ${FORMATS.join(', ')}.`)
    const body = { sql: await givenText(call.args[0]!, call), parameters: readPairs(call.texts('param')) }
    const api = await call.api()
    if (format === 'table' || format === 'json') {
      const { result, rows, ms } = recordOf(await api.json('POST', '/api/query', body))
      const list = Array.isArray(result) ? result.map(recordOf) : []
      if (format === 'json') await writeJson(stdout, list)
      else {
        if (list.length > 0) await writeLine(stdout, table(list))
        await writeLine(stderr, `${rows} rows in ${ms} ms`)
      }
      return 0
    }
    const answer = await api.open('/api/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, format }),
    })
    if (format !== 'parquet') await write(stdout, await answer.text())
    else stdout.write(Buffer.from(await answer.arrayBuffer()))
    return 0
  },
}
