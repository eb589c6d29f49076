import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void, level = 'info'): Record<string, unknown>[] {
  const lines: string[] = []
  write(createLog({ level, to: { write: (line) => void lines.push(line) } }))
  return lines.map((line) => JSON.parse(line))
}

test('a line has a level and a time that people can read, the error and the text', () => {
  const [line] = logged((log) => log.warn({ err: new Error('gone') }, 'a mail was not sent'))
  expect(line).toMatchObject({ level: 'warn', msg: 'a mail was not sent', err: { type: 'Error', message: 'gone' } })
  expect(line!.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
})

test('what is below the level is not written', () => {
  expect(logged((log) => log.info('x'), 'warn')).toEqual([])
})

test('secrets that an error of a package carries are covered', () => {
  const error = Object.assign(new Error('refused'), {
    config: { password: 'hunter2' },
    authorization: 'Bearer hunter2',
  })
  const [line] = logged((log) => log.error({ err: error, password: 'hunter2' }, 'failed'))
  expect(JSON.stringify(line)).not.toContain('hunter2')
})

test('lines go to a second place as they are', () => {
  const lines: string[] = []
  const to = { write: (line: string) => void lines.push(line) }
  createLog({ level: 'info', to, alsoTo: to }).info('x')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toBe(lines[1])
})
