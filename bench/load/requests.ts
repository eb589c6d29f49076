/** Turns a file of events into finished HTTP requests, so that sending one is a single write of bytes that exist. */
import { readFileSync } from 'node:fs'
import { bodyOf, contentType, type Form } from './forms.ts'
import type { LoadJob } from './job.ts'

const NEWLINE = 10

export type PreparedRequest = { bytes: Buffer; events: number; bodyBytes: number }

export function prepareRequests(job: LoadJob): PreparedRequest[] {
  if (job.gets !== undefined) {
    const bytes = Buffer.from(
      `GET ${job.path} HTTP/1.1\r\nHost: ${job.host}:${job.port}\r\nX-API-KEY: ${job.token}\r\n\r\n`,
    )
    return new Array<PreparedRequest>(job.gets).fill({ bytes, events: 0, bodyBytes: 0 })
  }
  const { form = 'batch' } = job
  const lines = splitLines(readFileSync(job.file))
  const requests: PreparedRequest[] = []
  for (let at = 0; at < lines.length; at += job.eventsPerRequest) {
    const batch = lines.slice(at, at + job.eventsPerRequest)
    const firstId = job.firstId === undefined ? undefined : job.firstId + at
    const events = firstId === undefined ? batch : batch.map((line, i) => withId(line, firstId + i))
    const body = bodyOf(events, form)
    requests.push({
      bytes: Buffer.concat([headOf(job, body.length, form), body]),
      events: batch.length,
      bodyBytes: body.length,
    })
  }
  return requests
}

export const idOf = (number: number): string => `bench-${String(number).padStart(9, '0')}`

const withId = (line: Buffer, number: number): Buffer =>
  Buffer.concat([Buffer.from(`{"id":"${idOf(number)}",`), line.subarray(1)])

function headOf(job: LoadJob, length: number, form: Form): Buffer {
  return Buffer.from(
    `POST ${job.path} HTTP/1.1\r\nHost: ${job.host}:${job.port}\r\nX-API-KEY: ${job.token}\r\n` +
      `Content-Type: ${contentType(form)}\r\nContent-Length: ${length}\r\n\r\n`,
  )
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, from)
    const to = found < 0 ? bytes.length : found
    if (to > from) lines.push(bytes.subarray(from, to))
    from = to + 1
  }
  return lines
}
