import { type Api, recordOf } from '../api.ts'
import type { Command } from '../command.ts'
import { eventLine } from '../event-line.ts'
import { paintFor } from '../paint.ts'
import { writeLine } from '../print.ts'

const PAGE = 1_000
const EVENTS_USUAL = 100
const EVENTS_MAX = 100_000

export const search: Command = {
  name: 'search',
  summary: 'Find events of a source',
  usage: '<source> [lql]',
  about:
    'Finds the newest events that match and prints them like a log, the oldest of them first. With --json there is one\n' +
    'event a line. docs/reference/lql.md tells what lql can say.',
  options: {
    limit: {
      type: 'string',
      short: 'n',
      value: 'number',
      summary: `At most so many events, up to ${EVENTS_MAX}; default ${EVENTS_USUAL}`,
    },
    tz: { type: 'string', value: 'zone', summary: 'The time zone of times in lql; default UTC' },
    force: { type: 'boolean', summary: 'Search without the keys that the source suggests' },
  },
  isRemote: true,
  arguments: { min: 1, max: 2 },
  examples: [
    "millrace search my-app 'm.level:error t:last@1h'",
    'millrace search my-app timeout -n 1000 --json | jq .id',
  ],
  async run(call) {
    const [name = '', lql = ''] = call.args
    const limit = call.number('limit', { fallback: EVENTS_USUAL, min: 1, max: EVENTS_MAX })
    const api = await call.api()
    const { token } = await api.find('sources', name)
    const asked = { lql, tz: call.text('tz') ?? 'UTC', force: String(call.is('force')) }
    const events = await pages(api, token, asked, limit)
    const paint = paintFor(call.stdout, call.env)
    for (const event of events.reverse())
      await writeLine(call.stdout, call.is('json') ? JSON.stringify(event) : eventLine(event, paint))
    if (events.length === 0) await writeLine(call.stderr, 'Nothing was found.')
    return 0
  },
}

async function pages(api: Api, token: string, asked: Record<string, string>, limit: number) {
  const events: Record<string, unknown>[] = []
  let before: string | null = null
  do {
    const left = Math.min(PAGE, limit - events.length)
    const query = new URLSearchParams({ ...asked, limit: String(left), ...(before ? { before } : {}) })
    const page = recordOf(await api.json('GET', `/api/sources/${token}/search?${query}`))
    if (Array.isArray(page.events)) events.push(...page.events.map(recordOf))
    before = typeof page.next === 'string' ? page.next : null
  } while (before !== null && events.length < limit)
  return events
}
