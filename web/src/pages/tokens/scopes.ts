/** What a token may do, as people choose it, and as the one text that the service keeps. */
export type Choice = {
  management: boolean
  /** `all`, or the tokens of single sources. */
  ingest: 'none' | 'all' | string[]
  /** `all`, or the tokens of single endpoints. */
  query: 'none' | 'all' | string[]
}

const words = (area: Choice['ingest'], plain: string, single: string): string[] =>
  area === 'none' ? [] : area === 'all' ? [plain] : area.map((token) => `${single}:${token}`)

/** Empty when nothing was chosen. */
export const scopesText = ({ management, ingest, query }: Choice): string =>
  management
    ? 'management'
    : [...words(ingest, 'ingest', 'ingest:source'), ...words(query, 'query', 'query:endpoint')].join(' ')

export type Scope = { word: string; kind: 'management' | 'ingest' | 'query'; target: string | null }

export function readScopes(text: string): Scope[] {
  return text.split(' ').map((word) => {
    const [kind = '', , target = null] = word.split(':')
    return { word, kind: kind === 'management' || kind === 'query' ? kind : 'ingest', target }
  })
}
