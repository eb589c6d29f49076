import { expect, test } from 'vitest'
import { createFrames } from './frames.ts'
import { MAX_PASSED_BYTES } from './limits.ts'

function read(pieces: (string | Buffer)[]) {
  const messages: string[] = []
  const refused: string[] = []
  let isOpen = true
  const frames = createFrames({
    onMessage: (bytes, from, to) => void messages.push(bytes.toString('utf8', from, to)),
    onRefused: (_, from, to, reason) => void refused.push(`${to - from} bytes: ${reason}`),
  })
  for (const piece of pieces) isOpen &&= frames.push(Buffer.from(piece))
  if (isOpen) frames.end()
  return { messages, refused, isOpen }
}

const counted = (text: string): string => `${Buffer.byteLength(text)} ${text}`

test.each([
  ['lines', '<1>a\n<2>b\r\n\n<3>c\n', ['<1>a', '<2>b\r', '<3>c']],
  ['lengths', counted('<1>a\nb') + counted('<2>é'), ['<1>a\nb', '<2>é']],
  ['both, in turn', `${counted('<1>a')}<2>b\n${counted('<3>c')}\n<4>d`, ['<1>a', '<2>b', '<3>c', '<4>d']],
  ['zero bytes behind messages', '<1>a\n\0<2>b\n', ['<1>a', '<2>b']],
  [
    'digits that are no length',
    '12 monkeys\n007 <1>x\n1234567890 <1>y\n',
    ['12 monkeys', '007 <1>x', '1234567890 <1>y'],
  ],
  ['an end without its line end, or too early', `<1>a\n${counted('<2>long').slice(0, -2)}`, ['<1>a', '<2>lo']],
])('messages are told apart by %s, wherever the stream is cut', (_, text, expected) => {
  const bytes = Buffer.from(text)
  expect(read([bytes]).messages).toEqual(expected)
  expect(read([...bytes].map((byte) => Buffer.from([byte]))).messages).toEqual(expected)
  for (let at = 1; at < bytes.length; at++)
    expect(read([bytes.subarray(0, at), bytes.subarray(at)]).messages).toEqual(expected)
})

test.each([
  ['a length', `${counted(`<1>${'x'.repeat(70_000)}`)}<2>b\n`],
  ['its line', `<1>${'x'.repeat(70_000)}\n<2>b\n`],
])('a message over 64 kB by %s is refused once, and the next is read', (_, text) => {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, i) =>
    bytes.subarray(i * 1000, i * 1000 + 1000),
  )
  for (const sent of [[bytes], pieces]) {
    const { messages, refused, isOpen } = read(sent)
    expect(messages).toEqual(['<2>b'])
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatch(/ bytes: is over 64 kB$/)
    expect(isOpen).toBe(true)
  }
})

test.each([
  ['length', [`${MAX_PASSED_BYTES + 1} <1>a`]],
  ['line', Array.from({ length: 70 }, () => 'x'.repeat(65_536))],
])('a %s without end closes the connection', (_, pieces) => expect(read(pieces).isOpen).toBe(false))
