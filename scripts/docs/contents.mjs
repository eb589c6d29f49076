/**
 * Which pages the site has and in which order: `docs/contents.json`. A section lists its pages; one with `rest` also takes
 * up every page of that folder that no section lists, so a new page is shown without a change of the list. A listed page
 * that is not written yet is left out. `names` are shorter than titles.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of pages are those of the repository. */
export function readContents(root) {
  const { sections } = JSON.parse(readFileSync(join(root, 'docs/contents.json'), 'utf8'))
  const listed = new Set(sections.flatMap(({ pages }) => pages))
  const taken = new Set(listed)
  return sections
    .map((section) => {
      const rest = section.rest === undefined ? [] : pagesIn(root, section.rest).filter((page) => !taken.has(page))
      // A folder inside a folder may have a section of its own, which then stands before that of the outer one.
      for (const page of rest) taken.add(page)
      return { title: section.title, pages: [...section.pages.filter((page) => existsSync(join(root, page))), ...rest] }
    })
    .filter(({ pages }) => pages.length > 0)
}

/** How a page is called in the contents, where that is not its title. */
export const readNames = (root) => JSON.parse(readFileSync(join(root, 'docs/contents.json'), 'utf8')).names ?? {}

export function pagesIn(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** Where a page stands in the site. Guides are what people look for, so they stand at its top. */
export function placeOf(page) {
  if (page === 'docs/index.md') return 'index.html'
  const inDocs = page.startsWith('docs/') ? page.slice('docs/'.length) : `project/${page}`
  return inDocs
    .replace(/^guide\//, '')
    .replace(/^project\/README\.md$/, 'start.html')
    .replace(/(^|\/)README\.md$/, '$1index.html')
    .replace(/\.md$/, '.html')
    .toLowerCase()
}
