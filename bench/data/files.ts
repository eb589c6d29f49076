/**
 * Events as NDJSON files in the temporary folder, kept between runs because making them takes longer than sending them.
 * A file's name tells its range, its make and nothing else; a file that was cut short is never left under that name.
 */
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { eventJson } from './generate.ts'

/** Change it when `generate.ts` makes other events, so that old files are not mistaken for them. */
const MAKE = 1
const LINES_PER_WRITE = 2000

export const dataFolder = join(tmpdir(), 'millrace-bench')

export async function eventFile(first: number, count: number): Promise<string> {
  const path = join(dataFolder, `events-${MAKE}-${first}-${count}.ndjson`)
  if (existsSync(path)) return path
  mkdirSync(dataFolder, { recursive: true })
  const unfinished = `${path}.${process.pid}.tmp`
  const out = createWriteStream(unfinished)
  for (let at = first; at < first + count; at += LINES_PER_WRITE) {
    const lines = Math.min(LINES_PER_WRITE, first + count - at)
    const text = Array.from({ length: lines }, (_, i) => `${eventJson(at + i)}\n`).join('')
    if (!out.write(text)) await new Promise((resolve) => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
  renameSync(unfinished, path)
  return path
}

export function removeEventFile(path: string): void {
  rmSync(path, { force: true })
}
