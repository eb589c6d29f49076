/**
 * An access token and its scopes. The value of a token is shown once, when it is made; after that only its hash
 * exists. Scopes are one text, separated by spaces:
 *   `ingest` · `ingest:source:<uuid or id>` · `query` · `query:endpoint:<uuid or id>` · `management` (all of them)
 * Older words stay valid: `public` = `ingest`, `private` = `management`, `collection` = `source`.
 */
import { z } from 'zod'
import { isUuid } from '../base/ids.ts'

export const Scopes = z.string().transform((text, context) => {
  const scopes = normalScopes(text)
  if (scopes !== null) return scopes
  context.addIssue({ code: 'custom', message: 'contains unrecognized scope' })
  return z.NEVER
})

export const TokenRecord = z.object({
  id: z.int(),
  description: z.string().nullable(),
  scopes: z.string(),
  inserted_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
})
export type TokenRecord = z.infer<typeof TokenRecord>

export type Token = TokenRecord & { account_id: number }

export const NewToken = z.strictObject({
  description: z
    .string()
    .trim()
    .max(255)
    .refine((text) => !text.includes('\0'), 'is invalid')
    .nullish(),
  /** Default: `ingest`, the least that is useful. */
  scopes: Scopes.optional(),
  /** Taken and ignored: values are always made here. */
  token: z.unknown().optional(),
})
export type NewToken = z.infer<typeof NewToken>

const ALIASES = new Map([
  ['public', 'ingest'],
  ['private', 'management'],
])
const PLAIN = new Set(['ingest', 'query', 'management'])

/** The scopes in their present words, each once; null when one is not known or there is none. */
export function normalScopes(text: string): string | null {
  const scopes = new Set<string>()
  for (const word of text.split(/\s+/)) {
    if (word === '') continue
    const scope = (ALIASES.get(word) ?? word).replace(/^ingest:collection:/, 'ingest:source:').toLowerCase()
    const [, target] = /^(?:ingest:source|query:endpoint):(.+)$/.exec(scope) ?? []
    if (target === undefined ? !PLAIN.has(scope) : !(isUuid(target) || /^\d{1,15}$/.test(target))) return null
    scopes.add(scope)
  }
  return scopes.size > 0 ? [...scopes].join(' ') : null
}
