import { recordOf } from '../api.ts'
import { givenText } from '../input.ts'
import { readPairs } from '../pairs.ts'
import { table, writeJson, writeLine } from '../print.ts'
import { recordCommand } from '../records.ts'

export const endpoints = recordCommand({
  kind: 'endpoints',
  summary: 'List, show, create, change, delete and run endpoints',
  about: 'An endpoint is a published query. `run` gives its rows, with the values of --param.',
  line: ({ name, token, enable_auth, version, parameters }) => ({
    name,
    token,
    parameters: Array.isArray(parameters) ? parameters.join(', ') : '',
    needs_token: enable_auth,
    version,
  }),
  options: {
    query: { type: 'string', short: 'q', value: 'sql', summary: 'Its query, for create and update; @file reads one' },
    param: {
      type: 'string',
      short: 'p',
      value: 'name=value',
      summary: 'A parameter, for run; may be repeated',
      isMany: true,
    },
  },
  async settings(call) {
    const query = call.text('query')
    return query === undefined ? {} : { query: await givenText(query, call) }
  },
  deeds: {
    async run(call, api, name) {
      const { token } = await api.find('endpoints', name)
      const answer = await api.json('POST', `/api/endpoints/query/${token}`, readPairs(call.texts('param')))
      const { result } = recordOf(answer)
      const rows = Array.isArray(result) ? result.map(recordOf) : []
      if (call.is('json')) await writeJson(call.stdout, rows)
      else if (rows.length > 0) await writeLine(call.stdout, table(rows))
      else await writeLine(call.stderr, 'There are no rows.')
      return 0
    },
  },
  examples: [
    'millrace endpoints create by-level --query @by-level.sql --set enable_auth=true',
    'millrace endpoints run by-level -p level=error',
  ],
})
