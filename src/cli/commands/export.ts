import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Api, type Json, recordOf } from '../api.ts'
import type { Call, Command } from '../command.ts'
import { Failure, wrongUse } from '../failure.ts'
import { writeJson, writeLine } from '../print.ts'
import { createProgress } from '../progress.ts'
import { type Listed, readListed, writeListed } from '../transfer/files.ts'
import { openParquet } from '../transfer/parquet.ts'

const PAGE = 1_000
const FILE_EVENTS = 50_000
const FILE_BYTES = 64_000_000

export const exportEvents: Command = {
  name: 'export',
  summary: 'Write the events of a source to Parquet files',
  usage: '<source> <folder>',
  about:
    'The folder gets numbered Parquet files, newest events first, and export.json, which lists them. Called again after a\n' +
    'break, it goes on where it was. Events that arrive while it runs are left out: it ends at the moment of its start.\n' +
    '`millrace import` sends the files to a source of this or another service.',
  options: {
    from: {
      type: 'string',
      value: 'time',
      summary: 'Only events from this time on, such as 2026-11-01 or 2026-11-01T10:00:00Z',
    },
    to: { type: 'string', value: 'time', summary: 'Only events up to this time; default now' },
    lql: { type: 'string', value: 'lql', summary: 'Only events that match' },
    'file-events': { type: 'string', value: 'number', summary: `Events in a file; default ${FILE_EVENTS}` },
  },
  isRemote: true,
  arguments: { min: 2, max: 2 },
  examples: [
    'millrace export my-app ./my-app-export',
    "millrace export my-app ./errors --from 2026-11-01 --lql 'm.level:error'",
  ],
  async run(call) {
    const [name = '', dir = ''] = call.args
    const api = await call.api()
    const { token, metrics } = await api.find('sources', name)
    await mkdir(dir, { recursive: true })
    const listed = (await resumed(call, dir, token)) ?? begun(call, { name, token, url: api.url })
    await fetchAll(call, api, dir, listed, Number(recordOf(metrics).total ?? 0))
    const events = countOf(listed)
    if (call.is('json')) await writeJson(call.stdout, { folder: dir, files: listed.files.length, events })
    else await writeLine(call.stdout, `${dir} has ${events} events in ${listed.files.length} files.`)
    return 0
  },
}

function begun({ text }: Call, source: Listed['source']): Listed {
  return {
    format: 'millrace-export',
    version: 1,
    source,
    from: timeOf(text('from'), 'from'),
    to: timeOf(text('to'), 'to') ?? Date.now() * 1000,
    lql: text('lql') ?? '',
    files: [],
    next: '',
  }
}

async function resumed({ text, stderr }: Call, dir: string, token: string): Promise<Listed | null> {
  const listed = await readListed(dir)
  if (!listed) return null
  if (listed.source.token !== token)
    throw new Failure(1, `${dir} is an export of another source, ${listed.source.name}.`, 'Give another folder.')
  const asked: [string, unknown, unknown][] = [
    ['from', timeOf(text('from'), 'from'), listed.from],
    ['to', timeOf(text('to'), 'to'), listed.to],
    ['lql', text('lql'), listed.lql],
  ]
  for (const [name, given, before] of asked)
    if (given !== undefined && given !== null && given !== before)
      throw new Failure(1, `${dir} is an export with another --${name}.`, 'Give another folder.')
  await writeLine(
    stderr,
    listed.next === null ? 'This export is whole already.' : `Going on after ${countOf(listed)} events.`,
  )
  return listed
}

/** `next` is empty before the first page. */
async function fetchAll(call: Call, api: Api, dir: string, listed: Listed, total: number): Promise<void> {
  if (listed.next === null) return
  const atOnce = call.number('file-events', { fallback: FILE_EVENTS, min: 1, max: 1_000_000 })
  const progress = createProgress(call)
  const parquet = await openParquet()
  try {
    while (listed.next !== null) {
      const { events, next } = await fetchFile(api, listed, atOnce, (got) => {
        const done = countOf(listed) + got
        progress.show(`${done} events`, total > 0 && listed.lql === '' ? Math.min(0.99, done / total) : undefined)
      })
      if (events.length > 0) {
        const name = `${String(listed.files.length + 1).padStart(6, '0')}.parquet`
        const schema = recordOf(await api.json('GET', `/api/sources/${listed.source.token}/schema?variant=dot`))
        await parquet.write(join(dir, name), events, schema)
        const times = events.map(({ timestamp }) => Number(timestamp))
        listed.files.push({ name, events: events.length, min: times.at(-1)!, max: times[0]! })
      }
      listed.next = next
      await writeListed(dir, listed)
    }
  } finally {
    progress.end()
    parquet.close()
  }
}

async function fetchFile(
  api: Api,
  { source, from, to, lql, next }: Listed,
  atOnce: number,
  tell: (got: number) => void,
) {
  const events: Json[] = []
  let bytes = 0
  let before = next || null
  const times = `t:<=${to}${from === null ? '' : ` t:>=${from}`}`
  do {
    const query = new URLSearchParams({
      lql: lql === '' ? times : `(${lql}) ${times}`,
      limit: String(Math.min(PAGE, atOnce - events.length)),
      force: 'true',
      ...(before ? { before } : {}),
    })
    const text = await (await api.open(`/api/sources/${source.token}/search?${query}`)).text()
    const page = recordOf(JSON.parse(text))
    if (Array.isArray(page.events)) events.push(...page.events.map(recordOf))
    bytes += text.length
    before = typeof page.next === 'string' ? page.next : null
    tell(events.length)
  } while (before !== null && events.length < atOnce && bytes < FILE_BYTES)
  return { events, next: before }
}

const countOf = ({ files }: Listed): number => files.reduce((sum, { events }) => sum + events, 0)

function timeOf(text: string | undefined, option: string): number | null {
  if (text === undefined) return null
  const ms = Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text)
  if (Number.isNaN(ms)) throw wrongUse(`--${option} must be a time such as 2026-11-01 or 2026-11-01T10:00:00Z.`)
  return ms * 1000
}
