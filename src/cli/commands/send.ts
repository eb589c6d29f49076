import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { uuid7 } from '../../base/ids.ts'
import { type Api, recordOf } from '../api.ts'
import { batches } from '../batches.ts'
import type { Call, Command } from '../command.ts'
import { createDeliver } from '../deliver.ts'
import { Failure, wrongUse } from '../failure.ts'
import { writeJson, writeLine } from '../print.ts'
import { createProgress } from '../progress.ts'

const BATCH_MAX = 10_000
const BATCH_USUAL = 1_000
const BATCH_BYTES = 4_000_000
const WAIT_MS = 1_000
const RETRIES_MAX = 1_000
const REFUSALS_SHOWN = 20

export const send: Command = {
  name: 'send',
  summary: 'Send events from standard input or files to a source',
  usage: '<source> [file]…',
  about:
    'Every line is an event: a JSON object as it is, anything else as the message of a new event. Blank lines are left out.\n' +
    'Lines are sent in batches, and after a second at the latest. What the service cannot take now is sent again; each\n' +
    'event has an id, so one that arrived twice is recognised by it. Events that are refused are told of, and the exit\n' +
    'code is 1.',
  options: {
    array: { type: 'boolean', summary: 'The input is one JSON array of events' },
    batch: {
      type: 'string',
      value: 'number',
      summary: `Events in a request, up to ${BATCH_MAX}; default ${BATCH_USUAL}`,
    },
    retries: {
      type: 'string',
      value: 'number',
      summary: 'How often a batch is sent again before giving up; default 10',
    },
    create: { type: 'boolean', summary: 'Create the source if it is not there' },
  },
  isRemote: true,
  arguments: { min: 1, max: 100 },
  examples: ['journalctl -f -o json | millrace send my-host', 'millrace send my-app app.log app.log.1'],
  async run(call) {
    const [name = '', ...files] = call.args
    const api = await call.api()
    const source = await sourceFor(call, api, name)
    const progress = createProgress(call)
    const retries = call.number('retries', { fallback: 10, min: 0, max: RETRIES_MAX })
    const onRetry = (reason: string, waitMs: number): void => {
      progress.end()
      call.stderr.write(`${reason} Trying again in ${waitMs / 1000} s.\n`)
    }
    const deliver = createDeliver({ api, source, retries, signal: call.signal, onRetry })
    const limits = {
      events: call.number('batch', { fallback: BATCH_USUAL, min: 1, max: BATCH_MAX }),
      bytes: BATCH_BYTES,
      waitMs: WAIT_MS,
    }
    const input = await openInput(call, files)
    const told = { sent: 0, refused: 0 }
    for await (const batch of batches(input.lines, limits)) {
      const { refused } = await deliver(batch).catch((error: unknown) => {
        progress.end()
        if (!(error instanceof Failure)) throw error
        throw new Failure(error.exitCode, error.message, `${told.sent} events were stored before that.`)
      })
      for (const reason of refused.slice(0, Math.max(0, REFUSALS_SHOWN - told.refused))) {
        progress.end()
        await writeLine(call.stderr, `Refused: ${reason}`)
      }
      told.refused += refused.length
      told.sent += batch.length - refused.length
      progress.show(`${told.sent} events`, input.share())
    }
    progress.end()
    if (call.is('json')) await writeJson(call.stdout, told)
    else
      await writeLine(
        call.stdout,
        `${told.sent} events are stored${told.refused > 0 ? `, ${told.refused} were refused` : ''}.`,
      )
    return told.refused > 0 ? 1 : 0
  },
}

/** A token that may only send does not see the list of sources; the service then has to know the name. */
async function sourceFor(call: Call, api: Api, name: string): Promise<string> {
  try {
    return (await api.find('sources', name)).token
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.exitCode === 4) return name
    if (!call.is('create')) throw error
  }
  return String(recordOf(await api.json('POST', '/api/sources', { name })).token)
}

/** `share` tells how much of it was read, when that can be known. */
async function openInput(
  call: Call,
  files: string[],
): Promise<{ lines: AsyncIterable<string>; share(): number | undefined }> {
  if (files.length === 0) return { lines: eventsOf(call.stdin, call), share: () => undefined }
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => Promise.reject(wrongUse(`The file ${file} cannot be read.`)),
      ),
    ),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let read = 0
  async function* all(): AsyncGenerator<string> {
    for (const file of files) {
      const stream = createReadStream(file)
      stream.on('data', (chunk) => {
        read += chunk.length
      })
      yield* eventsOf(stream, call)
    }
  }
  return { lines: all(), share: () => (total === 0 ? 1 : read / total) }
}

async function* eventsOf(stream: Readable, call: Call): AsyncGenerator<string> {
  if (!call.is('array')) {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line.trim() !== '') yield eventText(line)
    return
  }
  const list: unknown = await json(stream).catch(() => null)
  if (!Array.isArray(list)) throw wrongUse('The input is no JSON array.')
  for (const event of list) yield withId(typeof event === 'string' ? { message: event } : event)
}

/** Objects stay as they were written, so that no digit of a number gets lost. */
function eventText(line: string): string {
  const text = line.trim()
  if (text.startsWith('{'))
    try {
      const event = recordOf(JSON.parse(text))
      if (typeof event.id === 'string' && event.id !== '') return text
      if (event.id === undefined)
        return `{"id":"${uuid7(Date.now())}"${Object.keys(event).length > 0 ? ',' : ''}${text.slice(1)}`
      return text
    } catch {
      // No JSON after all: a line of text.
    }
  return withId({ message: line })
}

const withId = (event: unknown): string => JSON.stringify({ id: uuid7(Date.now()), ...recordOf(event) })
