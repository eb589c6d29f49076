/** The examples of the guides run as they stand and answer what the guide says. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

const END = '__end of block__'

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service.remove())

/** The `sh` blocks of a page, each with the `json` block right after it, if there is one. */
function blocksOf(page: string): { script: string; expected: unknown }[] {
  const text = readFileSync(join(import.meta.dirname, '..', page), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g)].map(([, script = '', json]) => ({
    script,
    expected: json === undefined ? undefined : JSON.parse(json),
  }))
}

/** Runs all blocks of a page in one shell, compares what they print, and answers it. */
function follow(page: string): string[] {
  const blocks = blocksOf(page)
  const script = blocks.map((block) => `${block.script}\necho; echo '${END}'`).join('\n')
  const env = { ...process.env, BASE: service.url, TOKEN: service.managementToken }
  const printed = execFileSync('bash', ['-e', '-c', script], { env, encoding: 'utf8' }).split(END)
  expect(blocks.length).toBeGreaterThan(5)
  for (const [i, { script: block, expected }] of blocks.entries()) {
    if (expected !== undefined) expect(JSON.parse(printed[i]!), block).toEqual(expected)
  }
  return printed
}

test('the guide to endpoints', () => {
  expect(follow('docs/guide/endpoints.md').at(-2)).toBe('\n\npath\r\n/pay\r\n\n'.slice(1))
})

test('the guide to alerts', () => {
  follow('docs/guide/alerts.md')
})

test('the first event of the README', () => {
  const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').split('## Your first event')[1] ?? ''
  const commands = [...text.matchAll(/^```\n(curl [\s\S]*?)^```$/gm)].map(([, command = '']) => command)
  expect(commands).toHaveLength(3)
  const script = commands.map((command) => `${command}\necho; echo '${END}'`).join('\n')
  const env = { ...process.env, TOKEN: service.managementToken }
  const words = ['-e', '-c', script.replaceAll('http://127.0.0.1:4000', service.url)]
  const [made = '', sent = '', asked = ''] = execFileSync('bash', words, { env, encoding: 'utf8' }).split(END)
  expect(JSON.parse(made)).toMatchObject({ name: 'my-app' })
  expect(JSON.parse(sent)).toEqual({ message: 'Logged!' })
  expect(JSON.parse(asked).result).toEqual([
    { timestamp: expect.any(Number), event_message: 'hello, world', user_id: 42 },
  ])
})
