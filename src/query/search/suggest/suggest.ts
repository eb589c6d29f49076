/** What can be typed at a place in a query: fields, operators, values seen often, times, saved searches. */
import { createKnownFields, type KnownField } from '../../../lql/known-fields.ts'
import { fullPath, shortPath } from '../../../lql/lql.ts'
import { UNFIT, UNLISTED } from '../../../model/fields.ts'
import type { SavedSearch } from '../../../model/saved-search.ts'
import type { Source } from '../../../model/source.ts'
import type { SearchParts } from '../question.ts'
import { type Place, placeAt } from './place.ts'
import { type Suggestion, valueText, WORDS, wordsFor } from './words.ts'

export type SuggestQuestion = { source: Source; lql: string; position: number; signal?: AbortSignal | undefined }

/** The texts that may stand from `from` to `to` instead of what is typed there. */
export type Suggestions = { from: number; to: number; items: Suggestion[] }

const ITEMS_MAX = 50
const VALUES_MAX = 20

type Parts = Pick<SearchParts, 'schemas'> & {
  savedSearches: { list(sourceId: number): Promise<SavedSearch[]> }
  oftenSeen(source: Source, path: string, limit: number, signal?: AbortSignal): Promise<unknown[]>
}

export function createSuggest({ schemas, savedSearches, oftenSeen }: Parts) {
  return async function suggest({ source, lql, position, signal }: SuggestQuestion): Promise<Suggestions> {
    const place = placeAt(lql, position)
    const known = createKnownFields(schemas.journaled(source.token))
    const fields = known.all().filter(({ path, type }) => type !== 'object' && isShown(path))

    async function itemsAt(): Promise<Suggestion[]> {
      switch (place.kind) {
        case 'clause':
          return [...(await saved()), ...fieldItems(fields, ':'), ...WORDS.clauses]
        case 'field':
          return fieldItems(fields, '')
        case 'argument':
          return fieldItems(place.isNumeric ? fields.filter(isNumber) : fields, ')')
        case 'value':
          return valuesOf(place)
        default:
          return WORDS[place.kind]
      }
    }

    /** As a whole, so only where nothing but its beginning is typed. */
    async function saved(): Promise<Suggestion[]> {
      if (lql.trim() !== place.typed) return []
      const searches = await savedSearches.list(source.id)
      return searches.map(({ name, lql: text }) => ({ kind: 'saved search', text, detail: name }))
    }

    async function valuesOf({ path, operator }: Place & { kind: 'value' }): Promise<Suggestion[]> {
      const field = known.find(fullPath(path))
      if (!field || field.type === 'object') return []
      const words = operator === ':' ? wordsFor(field) : []
      if (operator === ':~' || operator === ':@>~' || field.type === 'timestamp') return words
      const values = await oftenSeen(source, field.path, VALUES_MAX, signal)
      return [...values.map((value) => ({ kind: 'value', text: valueText(value), detail: null })), ...words]
    }

    const items = (await itemsAt()).filter((item) => begins(item, place.typed)).slice(0, ITEMS_MAX)
    return { from: place.from, to: position, items }
  }
}

const isShown = (path: string): boolean => ![UNFIT, UNLISTED].includes(path.split('.', 1)[0]!)

const isNumber = ({ type, isList }: KnownField): boolean => !isList && (type === 'integer' || type === 'float')

function fieldItems(fields: KnownField[], behind: string): Suggestion[] {
  return fields
    .filter(({ path }) => path !== 'timestamp')
    .map(({ path, type, isList }) => ({
      kind: 'field',
      text: `${shortPath(path)}${behind}`,
      detail: `${type}${isList ? '[]' : ''}`,
    }))
}

/** By any of the names it goes under: `level` finds `m.level`, and `metadata.level` does too. */
function begins({ kind, text, detail }: Suggestion, typed: string): boolean {
  const wanted = typed.toLowerCase().replace(/^"/, '')
  const names = [text.replace(/^"/, '')]
  if (kind === 'field') names.push(fullPath(text), text.replace(/^.*\./, ''))
  if (kind === 'saved search') names.push(detail ?? '')
  return names.some((name) => name.toLowerCase().startsWith(wanted))
}
