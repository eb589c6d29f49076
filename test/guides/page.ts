/**
 * A page of the guides and its examples. An example is known by the heading it stands under and its language. Who checks a
 * page takes its examples one by one; those that nobody took, and that do not say why they are not run, are left over.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export type Example = { heading: string; language: string; text: string; reason: string | null }

export type Page = {
  path: string
  text: string
  /** The next example of this language under this heading. */
  take(heading: string, language?: string): string
  /** All that are left, in their order. */
  takeAll(): Example[]
  left(): string[]
}

/** Fences as readers see them, with the remark before them that says why one is not run. */
const PIECE = /^#+ (.+)$|(?:<!-- not run: ([^>]{10,}) -->\n\n?)?^```(\w*)\n([\s\S]*?)^```$/gm

export function openPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8')
  const open = examplesOf(text).filter(({ reason }) => reason === null)
  return {
    path,
    text,
    take(heading, language = '') {
      const at = open.findIndex((one) => one.heading === heading && one.language === language)
      const [found] = at === -1 ? [] : open.splice(at, 1)
      if (!found) throw new Error(`${path} has no more examples in "${language}" under "${heading}"`)
      return found.text
    },
    takeAll: () => open.splice(0),
    left: () => open.map(({ heading, text: code }) => `${heading}: ${code}`),
  }
}

/** Pages that have examples to run; those of senders are run by the tests of the clients. */
export function pagesWithExamples(): string[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('guide/send/'))
    .map((name) => `docs/${name}`)
  const others = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'bench/README.md']
  return [...others, ...pages].filter((path) => openPage(path).left().length > 0)
}

function examplesOf(text: string): Example[] {
  const found: Example[] = []
  let heading = ''
  for (const [, title, reason = null, language, code] of text.matchAll(PIECE)) {
    if (title !== undefined) heading = title
    else found.push({ heading, language: language ?? '', text: code ?? '', reason })
  }
  return found
}
