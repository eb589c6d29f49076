import { recordOf } from '../api.ts'
import type { Command } from '../command.ts'
import { wrongUse } from '../failure.ts'
import { table, writeJson, writeLine } from '../print.ts'

export const tokens: Command = {
  name: 'tokens',
  summary: 'List, create and revoke access tokens',
  usage: '[list | create | delete] [description | id]',
  about: 'The value of a new token is shown once. Revoking takes effect at once.',
  options: {
    scopes: {
      type: 'string',
      value: 'scopes',
      summary: 'What it may do: ingest, ingest:source:<uuid>, query, query:endpoint:<uuid>, management; default ingest',
    },
    yes: { type: 'boolean', short: 'y', summary: 'Revoke without being asked again' },
  },
  isRemote: true,
  arguments: { min: 0, max: 2 },
  examples: ['millrace tokens create "web servers" --scopes ingest', 'millrace tokens delete 7 --yes'],
  async run(call) {
    const [action = 'list', given] = call.args
    const { stdout } = call
    if (!['list', 'create', 'delete'].includes(action))
      throw wrongUse(`tokens can list, create and delete, not ${action}.`)
    const api = await call.api()
    if (action === 'list') {
      const list = await api.list('/api/access-tokens')
      if (call.is('json')) await writeJson(stdout, list)
      else await writeLine(stdout, table(list, ['id', 'description', 'scopes', 'inserted_at', 'last_used_at']))
      return 0
    }
    if (action === 'create') {
      const wanted = { description: given ?? null, scopes: call.text('scopes') ?? 'ingest' }
      const made = recordOf(await api.json('POST', '/api/access-tokens', wanted))
      if (call.is('json')) await writeJson(stdout, made)
      else {
        await writeLine(stdout, String(made.token))
        await writeLine(call.stderr, `Keep it: it is shown only this once. It may ${made.scopes}.`)
      }
      return 0
    }
    if (given === undefined || !/^\d+$/.test(given))
      throw wrongUse('Give the id of the token; `millrace tokens` lists them.')
    if (!call.is('yes')) throw wrongUse(`This revokes token ${given} for good.`, 'Say --yes if you mean it.')
    await api.json('DELETE', `/api/access-tokens/${given}`)
    if (call.is('json')) await writeJson(stdout, { deleted: Number(given) })
    else await writeLine(stdout, `Token ${given} is revoked.`)
    return 0
  },
}
