/** The frame of every page. It loads nothing but what lies beside it. */
import { posix } from 'node:path'
import { escaped } from './escape.mjs'

/** The same words as the header of the service, for a copy of the site that somebody else serves. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

/** `sections`: titles with pages, in the order of the contents. */
export function wholePage(page, sections) {
  const to = (place) => posix.relative(posix.dirname(page.place), place) || posix.basename(place)
  const entry = (other) =>
    `<li><a href="${to(other.place)}"${other === page ? ' aria-current="page"' : ''}>${escaped(other.name)}</a></li>`
  const section = ({ title, pages }) => {
    const isOpen = pages.includes(page) || page.place === 'index.html'
    return `<details${isOpen ? ' open' : ''}><summary>${escaped(title)}</summary><ul>${pages.map(entry).join('')}</ul></details>`
  }
  const inner = page.headings.filter(({ depth }) => depth === 2)
  const onThisPage =
    inner.length < 3
      ? ''
      : `<nav class="inner" aria-label="On this page"><ul>${inner.map(({ text, id }) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`).join('')}</ul></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(page.name)} – Millrace</title>
<link rel="stylesheet" href="${to('site.css')}">
<link rel="icon" href="${to('icon.svg')}">
<script src="${to('site.js')}" defer></script>
</head>
<body data-root="${to('index.html').replace(/index\.html$/, '')}">
<a class="skip" href="#content">Skip to the text</a>
<div class="frame">
<nav class="contents" aria-label="Contents">
<p class="brand"><a href="${to('index.html')}">Millrace</a></p>
<div class="search" role="search">
<input type="search" id="search" placeholder="Search titles and headings" aria-label="Search titles and headings" autocomplete="off">
<ul id="found" hidden></ul>
</div>
${sections.map(section).join('\n')}
</nav>
<main id="content">
${page.html}
</main>
${onThisPage}
</div>
</body>
</html>
`
}
