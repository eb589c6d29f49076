/** The site of the guides: every page can be found, every link and anchor leads somewhere. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite, readSite } from '../scripts/docs/build.mjs'
import { json } from './support/dialogue.ts'
import { type Service, startService } from './support/service.ts'

const root = join(import.meta.dirname, '..')
const out = mkdtempSync(join(tmpdir(), 'millrace-site-'))
afterAll(() => rmSync(out, { recursive: true, force: true }))

const pages = readSite().flatMap((section) => section.pages)
const byPath = new Map(pages.map((page) => [page.path, page]))

const written = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)

/** Files of the site that a page links to. */
function linksIn(place: string): string[] {
  const html = readFileSync(join(out, place), 'utf8')
  return [...html.matchAll(/<a (?:class="\w+" )?href="(?!https?:|mailto:)([^"]+)"/g)].map(([, href = '']) => {
    const [file = '', anchor] = href.split('#')
    const target = file === '' ? place : posix.join(posix.dirname(place), file)
    return anchor === undefined ? target : `${target}#${anchor}`
  })
}

describe('pages and links', () => {
  beforeAll(() => {
    buildSite(out)
  })

  test('every page of docs can be reached from the front page', () => {
    const seen = new Set(['index.html'])
    for (const place of seen) for (const link of linksIn(place)) seen.add(link.split('#')[0] ?? '')
    const lost = written.filter((path) => !seen.has(byPath.get(path)?.place ?? ''))
    expect(lost, 'neither in docs/contents.json nor in a folder it takes up').toEqual([])
  })

  test.each(pages.map(({ place }) => place))('links and anchors of %s lead somewhere', (place) => {
    const dead = linksIn(place).filter((link) => {
      const [file = '', anchor] = link.split('#')
      const page = pages.find((one) => one.place === file)
      return !page || (anchor !== undefined && anchor !== 'content' && !page.headings.some(({ id }) => id === anchor))
    })
    expect(dead).toEqual([])
  })

  test('no page runs or loads what is not beside it', () => {
    for (const { place } of pages) {
      const html = readFileSync(join(out, place), 'utf8')
      expect(html).not.toMatch(/<script(?![^>]* src="(?:\.\.\/)*site\.js")|<style| style=| on\w+="|src="https?:/)
    }
  })

  test('two pages never have one place', () => {
    expect(new Set(pages.map(({ place }) => place)).size).toBe(pages.length)
  })
})

test('a page that nobody listed is taken up, and one that is not written yet is left out', () => {
  const from = mkdtempSync(join(tmpdir(), 'millrace-docs-'))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(from, path)), { recursive: true })
    writeFileSync(join(from, path), text)
  }
  const sections = [
    { title: 'Guides', pages: ['docs/index.md', 'docs/guide/later.md'], rest: 'docs/guide' },
    { title: 'Reference', pages: [], rest: 'docs/reference' },
  ]
  write('docs/contents.json', JSON.stringify({ sections }))
  write('docs/index.md', '# Front\n\nSee [new](guide/new.md#a--b) and [code](../src/x.ts).')
  write('docs/guide/new.md', '# New <script>alert(1)</script>\n\n## A & b\n\n<b>bold</b>\n')
  try {
    const [guides, ...others] = readSite(from)
    expect(others).toEqual([])
    expect(guides?.pages.map(({ path }) => path)).toEqual(['docs/index.md', 'docs/guide/new.md'])
    const [front, added] = guides?.pages ?? []
    expect(front?.html).toContain('See <a href="new.html#a--b">new</a> and code.')
    expect(added?.headings.map(({ id }) => id)).toContain('a--b')
    expect(added?.html).not.toMatch(/<script>|<b>/)
  } finally {
    rmSync(from, { recursive: true, force: true })
  }
})

describe('in the service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ readyWithinMs: 60_000 })
  }, 90_000)
  afterAll(() => service?.remove())

  test('the guides need no token and have a strict policy', async () => {
    const front = await fetch(`${service.url}/docs/guide`)
    expect([front.url, front.status]).toEqual([`${service.url}/docs/guide/`, 200])
    expect(front.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await front.text()).toContain('<h1 id="millrace">Millrace</h1>')
    for (const place of ['reference/lql.html', 'send/index.html', 'site.css', 'site.js'])
      expect((await fetch(`${service.url}/docs/guide/${place}`)).status, place).toBe(200)
    const found = await json(await fetch(`${service.url}/docs/guide/search.json`))
    expect(found).toContainEqual({ text: 'LQL', page: 'LQL', to: 'reference/lql.html' })
  })

  /** What a newcomer can have opened after so many clicks in the texts, without the contents beside them. */
  function openedAfter(clicks: number): string[] {
    let opened = new Set(['docs/index.md'])
    for (let click = 0; click < clicks; click++)
      opened = new Set([...opened, ...[...opened].flatMap(linksInText)].filter((path) => path.endsWith('.md')))
    return [...opened]
  }
  const linksInText = (path: string): string[] =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) =>
      posix.join(posix.dirname(path), link),
    )

  test('every page is one click from the front page, and pages of decisions two', () => {
    const near = openedAfter(1)
    const far = written.filter((path) => !near.includes(path))
    expect(far.filter((path) => !/^docs\/decisions\/\d/.test(path))).toEqual([])
    expect(far.filter((path) => !openedAfter(2).includes(path))).toEqual([])
  })

  test('every route is told of within two clicks', async () => {
    const { paths } = await json(await service.fetch('/api/openapi.json'))
    const told = openedAfter(2).map((path) => readFileSync(join(root, path), 'utf8'))
    /** Names of parameters differ; what matters is that the address is there, whole or with its beginning left out. */
    const isTold = (path: string): boolean => {
      const steps = path.split('/').filter((step) => step !== '' && !step.startsWith('{'))
      const last = steps.at(-1) ?? ''
      const address = `/${steps.slice(0, 2).join('/')}`
      return told.some((text) => text.includes(address) && new RegExp(`[/…]${last}\\b`).test(text))
    }
    expect(Object.keys(paths).filter((path) => !isTold(path))).toEqual([])
  })

  test('nothing else is served from there', async () => {
    for (const path of ['..%2fmain.js', '%2e%2e/main.js', 'none.html'])
      expect((await fetch(`${service.url}/docs/guide/${path}`)).status, path).toBe(404)
    expect((await fetch(`${service.url}/docs`)).status).toBe(200)
  })
})
