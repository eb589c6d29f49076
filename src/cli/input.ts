import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { World } from './command.ts'
import { Failure } from './failure.ts'

/** A text that is given as it is, as `@file`, or as `-` for standard input. */
export async function givenText(given: string, { stdin }: Pick<World, 'stdin'>): Promise<string> {
  if (given === '-') return text(stdin)
  if (!given.startsWith('@')) return given
  return readFile(given.slice(1), 'utf8').catch(() => {
    throw new Failure(2, `The file ${given.slice(1)} cannot be read.`)
  })
}
