import { expect, test } from 'vitest'
import { asStored, createTrial, NOW_US } from '../../testing.ts'

async function send(body: string) {
  const trial = createTrial()
  await trial.send(body, { format: 'syslog', headers: { 'content-type': 'application/logplex-1' } })
  return { stored: trial.rows().map(asStored), rejects: trial.rejects }
}

const plain = '<190>1 2026-11-15T11:00:00.000001+00:00 host app web.1 ID7 - \u001b[32mhello\u001b[0m'

test('a message of RFC 5424 becomes an event', async () => {
  const { stored } = await send(plain)
  expect(stored).toMatchObject([
    {
      event_message: 'hello',
      timestamp: NOW_US - 3_600_000_000 + 1,
      metadata: {
        priority: 190,
        facility: 'local7',
        severity: 'info',
        level: 'info',
        hostname: 'host',
        appname: 'app',
        process_id: 'web.1',
        message_id: 'ID7',
        message_raw: plain,
      },
    },
  ])
})

test.each([
  ['lines', `${plain}\n${plain}\r\n\n${plain}`, 3],
  ['lengths', [plain, plain].map((one) => `${Buffer.byteLength(one)} ${one}`).join(''), 2],
  ['lengths with line ends', [plain, plain].map((one) => `${Buffer.byteLength(`${one}\n`)} ${one}\n`).join(''), 2],
  ['a length that counts bytes, not characters', `${Buffer.byteLength(`${plain} é\nx`)} ${plain} é\nx${plain}`, 2],
])('messages are told apart by %s', async (_, body, count) => {
  expect((await send(body)).stored).toHaveLength(count)
})

test('structured data and JSON in the text can be searched', async () => {
  const { stored } = await send('<11>1 - h a p m [x@1 k="a \\"b\\"" l="]"][y] paid {"id":"i","n":{"o":1}}')
  expect(stored).toMatchObject([{ event_message: '[x@1 k="a \\"b\\"" l="]"][y] paid {"id":"i","n":{"o":1}}' }])
  const escaped = await send('<11>1 - h a p m [x@1 k="a \\"b\\"" l="\\]"][y] paid {"id":"i","n":{"o":1}}')
  expect(escaped.stored).toMatchObject([
    {
      event_message: 'paid {"id":"i","n":{"o":1}}',
      timestamp: NOW_US,
      metadata: {
        level: 'error',
        sd: [{ id: 'x@1', k: 'a "b"', l: ']' }, { id: 'y' }, { id: 'json', _id: 'i', n: { o: 1 } }],
      },
    },
  ])
})

test("the pairs that Heroku's router writes are fields", async () => {
  const line = '<158>1 2026-11-15T11:00:00+00:00 host heroku router - at=info path="/a \\"b\\"" status=200 note'
  const logfmt = { at: 'info', path: '/a "b"', status: '200' }
  expect((await send(line)).stored).toMatchObject([{ metadata: { process_id: 'router', logfmt } }])
  const [other] = (await send(line.replace('router', 'web.1'))).stored
  expect(other).not.toHaveProperty('metadata.logfmt')
})

test('a message of RFC 3164 is read, its year is the one that makes it past', async () => {
  const { stored } = await send('<132>Nov 15 10:00:00 host sshd[42]: in\n<132>Dec 31 23:00:00 host no tag')
  expect(stored).toMatchObject([
    { event_message: 'in', timestamp: NOW_US - 7_200_000_000, metadata: { appname: 'sshd', process_id: '42' } },
    { event_message: 'no tag', timestamp: Date.UTC(2025, 11, 31, 23) * 1000 },
  ])
})

test.each([
  ['a time of the new form', '<13>2026-11-15T11:00:00+01:00 host su[7]: in', { appname: 'su', process_id: '7' }, 'in'],
  ['a tag and no space behind it', '<13>Nov 15 10:00:00 host su:in', { appname: 'su' }, 'in'],
  ['nothing but a priority', '<13>link down', { level: 'notice' }, 'link down'],
])('the old form with %s is read', async (_, line, metadata, text) => {
  expect((await send(line)).stored).toMatchObject([{ event_message: text, metadata }])
})

test.each([
  ['lists of lists', '{"a":[[1]]}'],
  ['deep JSON', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
  ['broken JSON', '{"a":}'],
])('%s in the text cost nothing', async (_, json) => {
  const { stored, rejects } = await send(`<11>1 - h a p m - ${json}`)
  expect(rejects).toEqual([])
  expect(stored).toMatchObject([{ event_message: json }])
  expect(stored[0]?.metadata).not.toHaveProperty('sd')
})

test.each([
  ['a long value', `[x k="${'v'.repeat(900_000)}"]`],
  ['many escapes', `[x k="${'\\"'.repeat(450_000)}"]`],
  ['many values', `[x${' k="v"'.repeat(150_000)}`],
  ['many elements', '[x]'.repeat(300_000)],
  ['no spaces', 'v'.repeat(900_000)],
])('a message with %s is read in good time', async (_, data) => {
  const startedAt = performance.now()
  const { stored } = await send(`<11>1 - h a p m ${data} text`)
  expect(stored).toHaveLength(1)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('a length of zero, and one beyond the body, end the reading', async () => {
  expect((await send(`0 <11>1 - h a p m - x`)).rejects.length).toBeGreaterThan(0)
  expect((await send(`9999999 ${plain}`)).stored).toHaveLength(1)
})

test('what is no syslog is recorded, and the rest is stored', async () => {
  const { stored, rejects } = await send(`nonsense\n<999>1 - h a p m - x\n${plain}`)
  expect(stored).toHaveLength(1)
  expect(rejects).toMatchObject([{ event: 'nonsense', reason: 'is not a syslog message' }, {}])
})
