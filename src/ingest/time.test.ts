import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoMicros, numberMicros, textMicros } from './time.ts'

const iso = (text: string): number => isoMicros(Buffer.from(text), 0, Buffer.byteLength(text))

test('ISO times agree with Date over all years', () => {
  const years = {
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  }
  fc.assert(
    fc.property(fc.date(years), fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (date, offset) => {
      const text = date.toISOString()
      expect(iso(text)).toBe(date.getTime() * 1000)
      const two = (n: number) => String(n).padStart(2, '0')
      const sign = offset < 0 ? '-' : '+'
      const shift = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
      expect(iso(text.replace('Z', shift))).toBe((date.getTime() - offset * 60_000) * 1000)
    }),
  )
})

test.each([
  ['20250309T142207Z', '2025-03-09T14:22:07Z'],
  ['20250309T1422+0200', '2025-03-09T12:22:00Z'],
  ['2025-03-09t14:22z', '2025-03-09T14:22:00Z'],
  ['2025-03-09T24:00:00Z', '2025-03-10T00:00:00Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
])('%s is %s', (text, same) => {
  expect(textMicros(text)).toBe(Date.parse(same) * 1000)
})

test.each([
  '2025-02-29',
  '2025-13-01',
  '2025-00-10',
  '2025-03-09T14',
  '2025-03-09T14:22:07.',
  '2025-03-09T14:22:07Zx',
  '2025-03-09T14:22:07+2',
  '2025-03-09T14:22:07+24:00',
  '2025-03-09T14:60:00Z',
  '2025/03/09',
  ' 2025-03-09',
  '09.03.2025',
  '',
])('"%s" is no time', (text) => {
  expect(textMicros(text)).toBeNaN()
})

test.each([
  ['0', 0],
  ['1741530127', 1741530127000000],
  ['1741530127.4567891', 1741530127456789],
  ['1.741530127e9', 1741530127000000],
  ['174153012712.5', 174153012712500],
  ['1741530127456.789', 1741530127456789],
  ['1741530127456789.9', 1741530127456789],
  ['1741530127456789123', 1741530127456789],
  ['-1', Number.NaN],
  ['1e400', Number.NaN],
  ['0x10', Number.NaN],
])('%s is %d us', (text, micros) => {
  expect(numberMicros(text)).toBe(micros)
})
