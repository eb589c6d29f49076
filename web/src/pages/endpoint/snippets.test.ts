import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoted } from './snippets.ts'

test.each(["it's", '$HOME `id`', 'a\\b "c"', '日本'])('a shell reads the text as it is: %s', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' })).toBe(text)
})
