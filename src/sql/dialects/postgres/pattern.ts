/**
 * RE2 patterns as PostgreSQL's own expressions. Escapes and the meaning of the dot differ; what it cannot say is given
 * back by name. One difference stays: of several alternatives PostgreSQL takes the longest match, RE2 the first.
 */
export type Pattern = { text: string; hasLazy: boolean; hasGreedy: boolean }

const ESCAPES: Record<string, string> = { b: '\\y', B: '\\Y', z: '\\Z', A: '\\A', Q: '', E: '' }

export function arePattern(re2: string): Pattern | { unknown: string } {
  const [options, rest] = optionsOf(re2)
  if (options === null) return { unknown: 'this flag of a regular expression' }
  const dot = options.includes('s') ? '.' : '[^\\n]'
  const found: Pattern = { text: '', hasLazy: false, hasGreedy: false }
  const TOKENS =
    /\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|p\{?|P\{?|[\s\S])|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?(?:P?<\w+>|:)?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/g
  for (const match of rest.matchAll(TOKENS)) {
    const [token, long, short] = match
    const code = long ?? short
    if (/^\\[pP]/.test(token)) return { unknown: `${token.slice(0, 2)} in a regular expression` }
    if (/^\\[QEC]/.test(token)) return { unknown: `${token} in a regular expression` }
    if (token === '(?') return { unknown: 'a flag inside a regular expression' }
    if (code !== undefined) found.text += `\\U${code.padStart(8, '0')}`
    else if (token.startsWith('\\')) found.text += ESCAPES[token[1]!] ?? token
    else if (token === '.') found.text += dot
    else if (/^\(\?P?</.test(token)) found.text += '('
    else found.text += token
    if (/^(?:[*+?]|\{\d)/.test(token)) {
      if (token.length > 1 && token.endsWith('?')) found.hasLazy = true
      else found.hasGreedy = true
    }
  }
  const flags = `${options.includes('i') ? 'i' : ''}${options.includes('m') ? 'w' : ''}`
  return { ...found, text: `${flags ? `(?${flags})` : ''}${found.text.startsWith('***') ? '(?:)' : ''}${found.text}` }
}

/** Flags in front, which hold for the whole pattern; null for one that has no counterpart. */
function optionsOf(re2: string): [string | null, string] {
  const flags = /^\(\?([a-zA-Z]+)\)/.exec(re2)
  if (!flags) return ['', re2]
  return [/^[ims]+$/.test(flags[1]!) ? flags[1]! : null, re2.slice(flags[0].length)]
}
