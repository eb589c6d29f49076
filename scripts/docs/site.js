/** Search over titles and headings: all words must occur; the list is fetched with the first key. */
;(() => {
  const MOST = 20
  const root = document.body.dataset.root ?? ''
  const box = document.getElementById('search')
  const list = document.getElementById('found')
  if (!(box instanceof HTMLInputElement) || !list) return
  let entries = null

  async function load() {
    entries ??= fetch(`${root}search.json`).then((answer) => answer.json())
    return entries
  }

  function rank({ text, page }, words) {
    const own = text.toLowerCase()
    const all = `${page} ${text}`.toLowerCase()
    if (!words.every((word) => all.includes(word))) return 0
    const begins = own.split(/[^\p{L}\p{N}]+/u)
    const isBegun = words.every((word) => begins.some((begin) => begin.startsWith(word)))
    return 1 + (words.every((word) => own.includes(word)) ? 1 : 0) + (isBegun ? 2 : 0) + (text === page ? 1 : 0)
  }

  async function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean)
    list.hidden = words.length === 0
    if (words.length === 0) return
    const ranked = (await load())
      .map((entry) => ({ entry, rank: rank(entry, words) }))
      .filter((one) => one.rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .slice(0, MOST)
    list.replaceChildren(...ranked.map(({ entry }) => item(entry)))
    if (ranked.length === 0) list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found' }))
  }

  function item({ text, page, to }) {
    const link = Object.assign(document.createElement('a'), { href: root + to, textContent: text })
    if (page !== text) link.append(Object.assign(document.createElement('small'), { textContent: page }))
    const line = document.createElement('li')
    line.append(link)
    return line
  }

  box.addEventListener('input', show)
  document.addEventListener('keydown', (event) => {
    const isTyping = document.activeElement instanceof HTMLInputElement
    if (event.key === '/' && !isTyping) {
      event.preventDefault()
      box.focus()
    } else if (event.key === 'Escape') {
      box.value = ''
      list.hidden = true
    } else if (event.key === 'Enter' && document.activeElement === box) list.querySelector('a')?.click()
  })
})()
