/** What a first visit has to load. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const INITIAL_GZIP_BYTES = 350_000
const PAGE_GZIP_BYTES = 250_000

type Chunk = { file: string; imports?: string[]; isEntry?: boolean; isDynamicEntry?: boolean }

const dir = join(import.meta.dirname, '../../dist/web')
const read = (file: string): Buffer => readFileSync(join(dir, file))
const manifest = JSON.parse(read('.vite/manifest.json').toString()) as Record<string, Chunk>

/** A chunk and all it needs before it can run. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(imported, seen)
  return seen
}

const gzipBytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(read(file)).length, 0)

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? ''
const pages = Object.keys(manifest).filter((name) => /^src\/pages\/[^/]+\/page\.tsx$/.test(name))

test(`the first load is at most ${INITIAL_GZIP_BYTES / 1000} kB of packed JavaScript`, () => {
  const bytes = gzipBytes(filesOf(entry))
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThanOrEqual(INITIAL_GZIP_BYTES)
})

test('every page is loaded by itself, when it is first opened', () => {
  expect(pages.length).toBeGreaterThan(3)
  for (const page of pages) expect(manifest[page]).toMatchObject({ isDynamicEntry: true })
})

test.each(pages)(`%s adds at most ${PAGE_GZIP_BYTES / 1000} kB`, (page) => {
  const initial = filesOf(entry)
  expect(gzipBytes([...filesOf(page)].filter((file) => !initial.has(file)))).toBeLessThanOrEqual(PAGE_GZIP_BYTES)
})

test('no file asks another host for anything it needs', () => {
  const html = read('index.html').toString()
  expect(
    [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]).filter((url) => !url?.startsWith('/')),
  ).toEqual([])
})
