/**
 * `npm run docs`: makes a site of the guides, in `dist/docs`. The service shows it under `/docs/guide`; as all its links are
 * relative, it can also be put anywhere else.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readContents, readNames } from './contents.mjs'
import { readPage } from './page.mjs'
import { wholePage } from './template.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** All sections with their pages read. */
export function readSite(from = root) {
  const contents = readContents(from)
  const paths = new Set(contents.flatMap(({ pages }) => pages))
  const names = readNames(from)
  const read = (path) => {
    const page = readPage(path, readFileSync(join(from, path), 'utf8'), paths)
    return { ...page, name: names[path] ?? page.title }
  }
  return contents.map(({ title, pages }) => ({ title, pages: pages.map(read) }))
}

export function buildSite(out = join(root, 'dist/docs'), from = root) {
  const sections = readSite(from)
  rmSync(out, { recursive: true, force: true })
  const pages = sections.flatMap((section) => section.pages)
  for (const page of pages) {
    const file = join(out, page.place)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, wholePage(page, sections))
  }
  const index = pages.flatMap((page) =>
    page.headings.map(({ text, id, depth }) => ({
      text: depth === 1 ? page.name : text,
      page: page.name,
      to: depth === 1 ? page.place : `${page.place}#${id}`,
    })),
  )
  writeFileSync(join(out, 'search.json'), JSON.stringify(index))
  for (const name of ['site.css', 'site.js'])
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(out, name))
  copyFileSync(join(from, 'web/public/icon.svg'), join(out, 'icon.svg'))
  return pages.length
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`dist/docs: ${buildSite()} pages`)
