import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeToken } from './node-token.ts'

test('a node keeps its token as long as its data folder, and a broken one is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const token = nodeToken(folder)
  expect([nodeToken(folder), token]).toEqual([token, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  writeFileSync(join(folder, 'node.id'), 'x')
  expect(() => nodeToken(folder)).toThrow('Remove it')
})
