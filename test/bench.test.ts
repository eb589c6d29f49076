import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { measureParquet } from '../bench/baseline/parquet.ts'
import { eventFile, removeEventFile } from '../bench/data/files.ts'
import { endMs, eventJson, planted, RARE_PIECE, RARE_WORD, START_MS, TRACE_ID } from '../bench/data/generate.ts'
import { createAnswerReader } from '../bench/load/answers.ts'
import { sendLoad } from '../bench/load/client.ts'
import { cpuSeconds, processTree, residentBytes } from '../bench/machine.ts'
import { formatTable, median } from '../bench/table.ts'

const COUNT = 2500
const file = await eventFile(0, COUNT)
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-test-'))
afterAll(() => {
  removeEventFile(file)
  rmSync(folder, { recursive: true, force: true })
})

describe('events of the benchmark', () => {
  test('are the same each time, about 400 bytes, and inside their time range', () => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(COUNT)
    expect(lines[17]).toBe(eventJson(17))
    const averageBytes = lines.join('').length / COUNT
    expect(averageBytes).toBeGreaterThan(360)
    expect(averageBytes).toBeLessThan(440)
    for (const line of lines) {
      const atMs = Date.parse(JSON.parse(line).timestamp)
      expect(atMs >= START_MS && atMs < endMs(COUNT)).toBe(true)
    }
  })

  test('do not repeat: every trace id is another', () => {
    const ids = Array.from({ length: COUNT }, (_, i) => JSON.parse(eventJson(i)).metadata.trace_id)
    expect(new Set(ids).size).toBe(COUNT)
  })

  test('carry the planted values exactly as often as said', () => {
    const count = 200_000
    const found = { word: 0, piece: 0, trace: 0 }
    for (let i = 0; i < count; i++) {
      const line = eventJson(i)
      if (line.includes(` ${RARE_WORD} `)) found.word += 1
      if (line.includes(RARE_PIECE)) found.piece += 1
      if (line.includes(TRACE_ID)) found.trace += 1
    }
    const said = { word: planted.rareWord(count), piece: planted.rarePiece(count), trace: planted.trace(count) }
    expect(found).toEqual(said)
    expect(said).toEqual({ word: 4, piece: 3, trace: 2 })
  })
})

describe('load client', () => {
  type Seen = { events: { id?: string }[]; sockets: Set<unknown>; token: string | undefined }

  async function sendTo(answerWith: (n: number) => number, job: { eventsPerRequest: number; firstId?: number }) {
    const seen: Seen = { events: [], sockets: new Set(), token: undefined }
    let requests = 0
    const server = createServer(async (request, answer) => {
      seen.sockets.add(request.socket)
      seen.token = String(request.headers['x-api-key'])
      const body = JSON.parse(await textOf(request))
      seen.events.push(...(body.batch ?? [body]))
      const text = '{"message":"Logged!"}'
      answer.writeHead(answerWith(requests++), { 'content-length': text.length }).end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    const target = { host: '127.0.0.1', port, path: '/api/logs?source_name=bench', token: 'secret', connections: 4 }
    try {
      return { seen, result: await sendLoad({ ...target, file, ...job }) }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  async function textOf(request: IncomingMessage): Promise<string> {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    return text
  }

  test('sends every event once, over as many connections as told', async () => {
    const { seen, result } = await sendTo(() => 200, { eventsPerRequest: 1000, firstId: 5 })
    expect(result).toMatchObject({ requests: 3, events: COUNT, refused: 0, refusal: null })
    expect(new Set(seen.events.map((event) => event.id)).size).toBe(COUNT)
    expect(seen.sockets.size).toBe(3)
    expect(seen.token).toBe('secret')
    expect(result.p99Ms).toBeGreaterThan(0)
  })

  test('counts only what was answered with 200', async () => {
    const { seen, result } = await sendTo((n) => (n === 3 ? 429 : 200), { eventsPerRequest: 1 })
    expect(result).toMatchObject({ requests: COUNT, events: COUNT - 1, refused: 1 })
    expect(result.refusal).toMatch(/^429 .*Logged/)
    expect(seen.events[0]).not.toHaveProperty('id')
  })

  test('reads answers however the bytes are cut', () => {
    const bytes = Buffer.from(
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.1 406 No\r\nContent-Length: 0\r\nX: y\r\n\r\n',
    )
    for (let cut = 0; cut <= bytes.length; cut++) {
      const answers: string[] = []
      const read = createAnswerReader(({ status, body }) => answers.push(`${status}${body}`))
      read(bytes.subarray(0, cut))
      read(bytes.subarray(cut))
      expect(answers).toEqual(['200abc', '406'])
    }
  })
})

test('DuckDB alone makes a smaller Parquet file of the events, and its cost is measured', async () => {
  const result = await measureParquet(file, join(folder, 'baseline.parquet'))
  expect(result.seconds).toBeGreaterThan(0)
  expect(result.cpuSeconds).toBeGreaterThan(0)
  expect(result.parquetBytes).toBeLessThan(readFileSync(file).length / 3)
})

test('a process is found with its figures; one that ended has none', () => {
  expect(processTree(process.pid)[0]).toBe(process.pid)
  expect(cpuSeconds(process.pid)).toBeGreaterThan(0)
  expect(residentBytes(process.pid)).toBeGreaterThan(10_000_000)
  expect(processTree(2 ** 30)).toEqual([])
})

test('the table lines up', () => {
  const line = { ours: '1', target: '2', scale: '', figures: {}, verdict: 'meets' as const }
  expect(formatTable([{ scenario: 'a long name', ...line }]).split('\n')[2]).toBe(
    'a long name | 1    | 2      | meets   |',
  )
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5])
})
