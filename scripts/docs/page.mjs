/**
 * One page: Markdown to HTML. Links between pages become links of the site, links to other files of the repository become
 * plain text, and HTML in the text is shown, not obeyed.
 */
import { posix } from 'node:path'
import { Marked } from 'marked'
import { placeOf } from './contents.mjs'
import { escaped } from './escape.mjs'

/** As GitHub makes them, so that a link works in both places. */
export function slugger() {
  const used = new Map()
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
    const count = used.get(slug) ?? 0
    used.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

const plain = (tokens) =>
  tokens.map((token) => (token.tokens ? plain(token.tokens) : (token.text ?? token.raw ?? ''))).join('')

/** `pages`: all paths that the site has. Answers the HTML, the title, the headings and where its links lead. */
export function readPage(path, text, pages) {
  const slug = slugger()
  const headings = []
  const links = []
  let title = path

  function target(href) {
    if (/^(?:https?:|mailto:)/.test(href)) return href
    const [file = '', anchor] = href.split('#')
    const named = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(file)))
    const page = [named, posix.join(named, 'README.md')].find((candidate) => pages.has(candidate))
    if (page === undefined) return null
    links.push({ page, anchor: anchor ?? null })
    const place = posix.relative(posix.dirname(placeOf(path)), placeOf(page)) || posix.basename(placeOf(page))
    return anchor === undefined ? place : `${file === '' ? '' : place}#${anchor}`
  }

  const renderer = {
    heading({ tokens, depth }) {
      const words = plain(tokens)
      const id = slug(words)
      if (depth === 1) title = words
      headings.push({ text: words, id, depth })
      return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const inside = this.parser.parseInline(tokens)
      const to = target(href)
      return to === null ? inside : `<a href="${escaped(to)}">${inside}</a>`
    },
    image: ({ text: words }) => escaped(words),
    html: ({ text: source }) => (/^\s*<!--[\s\S]*-->\s*$/.test(source) ? '' : escaped(source)),
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`
      const hasHead = token.header.some((cell) => cell.text !== '')
      const head = hasHead ? `<thead>${row(token.header, 'th')}</thead>` : ''
      return `<div class="table"><table>${head}<tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`
    },
  }
  const html = new Marked({ gfm: true, renderer }).parse(text)
  return { path, place: placeOf(path), html, title, headings, links }
}
