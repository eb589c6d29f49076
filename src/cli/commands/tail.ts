import { setTimeout as wait } from 'node:timers/promises'
import { type Api, recordOf } from '../api.ts'
import type { Call, Command } from '../command.ts'
import { eventLine } from '../event-line.ts'
import { Failure } from '../failure.ts'
import { paintFor } from '../paint.ts'
import { writeLine } from '../print.ts'
import { readSse } from '../sse.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
/** The service sends a sign of life every 15 s. */
const SILENT_MS = 40_000

export const tail: Command = {
  name: 'tail',
  summary: 'Watch the events of a source as they come',
  usage: '<source> [lql]',
  about:
    'The source is a name or UUID; lql leaves out what does not match. After a break of the connection it goes on where it\n' +
    'was: nothing is lost and nothing comes twice. With --json there is one event a line.',
  options: { limit: { type: 'string', short: 'n', value: 'number', summary: 'Stop after so many events' } },
  isRemote: true,
  arguments: { min: 1, max: 2 },
  examples: ['millrace tail my-app', "millrace tail my-app 'm.level:error -timeout'"],
  async run(call) {
    const [name = '', lql = ''] = call.args
    const limit = call.number('limit', { fallback: Number.MAX_SAFE_INTEGER, min: 1, max: Number.MAX_SAFE_INTEGER })
    const api = await call.api()
    const { token } = await api.find('sources', name)
    const path = `/api/sources/${token}/tail?${new URLSearchParams({ lql })}`
    await follow(call, api, path, limit)
    return call.signal.aborted ? 130 : 0
  },
}

async function follow(call: Call, api: Api, path: string, limit: number): Promise<void> {
  let [place, left, waitMs, wasOpen] = ['', limit, FIRST_WAIT_MS, false]
  while (left > 0 && !call.signal.aborted) {
    try {
      const quiet = new AbortController()
      let timer = setTimeout(() => quiet.abort(), SILENT_MS)
      const answer = await api.open(path, {
        headers: place ? { 'last-event-id': place } : {},
        signal: AbortSignal.any([call.signal, quiet.signal]),
      })
      if (!answer.body) throw new Failure(1, 'The service sent no stream.')
      wasOpen = true
      waitMs = FIRST_WAIT_MS
      try {
        for await (const message of readSse(answer.body)) {
          clearTimeout(timer)
          timer = setTimeout(() => quiet.abort(), SILENT_MS)
          if (message.id) place = message.id
          if (await show(call, message)) left -= 1
          if (left === 0) return
        }
      } finally {
        clearTimeout(timer)
      }
    } catch (error) {
      if (call.signal.aborted) return
      // A refusal stays one; a service that was there before may come back.
      if (error instanceof Failure && (error.exitCode !== 3 || !wasOpen)) throw error
    }
    if (call.signal.aborted) return
    await writeLine(call.stderr, `The connection is lost; going on in ${waitMs / 1000} s.`)
    await wait(waitMs, undefined, { signal: call.signal }).catch(() => {})
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
  }
}

/** Whether it was an event. */
async function show(call: Call, { event, data }: { event: string; data: string }): Promise<boolean> {
  if (data === '') return false
  const given = recordOf(JSON.parse(data))
  if (event === 'message') {
    const paint = paintFor(call.stdout, call.env)
    await writeLine(call.stdout, call.is('json') ? data : eventLine(given, paint))
    return true
  }
  const isFinal = event === 'end' && (given.reason === 'source_deleted' || given.reason === 'token_revoked')
  if (isFinal) throw new Failure(given.reason === 'token_revoked' ? 4 : 1, String(given.message))
  await writeLine(call.stderr, String(given.message ?? event))
  return false
}
