import { join } from 'node:path'
import { type Api, recordOf } from '../api.ts'
import type { Call, Command } from '../command.ts'
import { createDeliver } from '../deliver.ts'
import { Failure } from '../failure.ts'
import { writeJson, writeLine } from '../print.ts'
import { createProgress } from '../progress.ts'
import { type Listed, readListed } from '../transfer/files.ts'
import { type Exported, openParquet } from '../transfer/parquet.ts'

/** As many as the answer to the question which of them are there may have. */
const BATCH = 1_000
const REFUSALS_SHOWN = 20

export const importEvents: Command = {
  name: 'import',
  summary: 'Send exported events to a source',
  usage: '<folder> [source]',
  about:
    'The source is the one of the same name unless another is given. Events keep their ids and times. What the source has\n' +
    'already, by id and time, is not sent again: an import that broke off is simply called once more, and doubles nothing.\n' +
    'The source’s own rules apply; events older than its retention are refused, and the exit code is then 1.',
  options: {
    create: { type: 'boolean', summary: 'Create the source if it is not there' },
    'no-check': { type: 'boolean', summary: 'Do not ask what the source has already: faster, for an empty source' },
    retries: {
      type: 'string',
      value: 'number',
      summary: 'How often a batch is sent again before giving up; default 10',
    },
  },
  isRemote: true,
  arguments: { min: 1, max: 2 },
  examples: ['millrace import ./my-app-export --url https://new.example.com --create'],
  async run(call) {
    const [dir = '', wanted] = call.args
    const listed = await readListed(dir)
    if (!listed) throw new Failure(1, `${dir} is no export: it has no export.json.`)
    if (listed.next !== null)
      throw new Failure(1, 'This export is not whole.', 'Call `millrace export` with the same folder again.')
    const api = await call.api()
    const source = await sourceFor(call, api, wanted ?? listed.source.name)
    const told = await sendAll(call, api, source, dir, listed)
    if (call.is('json')) await writeJson(call.stdout, told)
    else {
      const { sent, skipped, refused } = told
      const others = `${skipped > 0 ? `, ${skipped} were there already` : ''}${refused > 0 ? `, ${refused} were refused` : ''}`
      await writeLine(call.stdout, `${sent} events are stored${others}.`)
    }
    return told.refused > 0 ? 1 : 0
  },
}

async function sourceFor(call: Call, api: Api, name: string): Promise<{ name: string; token: string }> {
  const found = await api.find('sources', name).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.exitCode !== 1 || !call.is('create')) throw error
    return null
  })
  const { name: real, token } = found ?? recordOf(await api.json('POST', '/api/sources', { name }))
  return { name: String(real), token: String(token) }
}

async function sendAll(call: Call, api: Api, source: { name: string; token: string }, dir: string, { files }: Listed) {
  const progress = createProgress(call)
  const onRetry = (reason: string, waitMs: number): void => {
    progress.end()
    call.stderr.write(`${reason} Trying again in ${waitMs / 1000} s.\n`)
  }
  const retries = call.number('retries', { fallback: 10, min: 0, max: 1_000 })
  const deliver = createDeliver({ api, source: source.token, retries, signal: call.signal, onRetry })
  const total = files.reduce((sum, { events }) => sum + events, 0)
  const told = { sent: 0, skipped: 0, refused: 0 }
  const parquet = await openParquet()
  try {
    for (const { name } of files)
      for await (const batch of parquet.read(join(dir, name), BATCH)) {
        const there = call.is('no-check') ? new Set<string>() : await known(api, source.name, batch)
        const missing = batch.filter((event) => !there.has(keyOf(event)))
        const { refused } = missing.length > 0 ? await deliver(missing.map(({ text }) => text)) : { refused: [] }
        for (const reason of refused.slice(0, Math.max(0, REFUSALS_SHOWN - told.refused))) {
          progress.end()
          await writeLine(call.stderr, `Refused: ${reason}`)
        }
        told.skipped += batch.length - missing.length
        told.refused += refused.length
        told.sent += missing.length - refused.length
        progress.show(`${told.sent} events`, (told.sent + told.skipped + told.refused) / total)
      }
  } finally {
    progress.end()
    parquet.close()
  }
  return told
}

const keyOf = ({ id, timestamp }: Pick<Exported, 'id' | 'timestamp'>): string => `${timestamp} ${id}`

/** Which of these events the source has. */
async function known(api: Api, source: string, batch: Exported[]): Promise<Set<string>> {
  const times = batch.map(({ timestamp }) => timestamp)
  const ids = batch.map(({ id }) => `'${id.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`)
  const sql =
    `select distinct id, timestamp from \`${source}\` where timestamp >= timestamp_micros(${Math.min(...times)}) ` +
    `and timestamp <= timestamp_micros(${Math.max(...times)}) and id in (${ids.join(', ')})`
  const { result } = recordOf(await api.json('POST', '/api/query', { sql }))
  const rows = Array.isArray(result) ? result.map(recordOf) : []
  return new Set(rows.map(({ id, timestamp }) => keyOf({ id: String(id), timestamp: Number(timestamp) })))
}
