/** Options that several types have in common: what they take, what they are when not given, and the words of a refusal. */
import { z } from 'zod'
import { isForbidden } from './address.ts'

export const text = z.string().trim().min(1).max(10_000)

/** `http://` or `https://`. */
export const httpUrl = z
  .string()
  .trim()
  .max(4_000)
  .refine((value) => /^https?:\/\/.+/i.test(value) && URL.canParse(value), 'has invalid format')
  .refine(
    (value) => !URL.canParse(value) || !isForbidden(new URL(value).hostname),
    'must not target a metadata address',
  )
  .meta({ title: 'Address', description: 'http:// or https://' })

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Names are kept in lower case. */
export const headers = z
  .record(z.string().regex(TOKEN), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
  .refine((map) => Object.keys(map).length <= 100, 'has more than 100 entries')
  .transform((map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name.toLowerCase(), value])))
  .meta({
    title: 'Headers',
    description: 'Sent with every request. Values of headers that hold secrets are not shown again.',
  })
  .default({})

export const gzip = z.boolean().meta({ title: 'Gzip', description: 'Bodies are sent compressed.' }).default(true)

export const basic = {
  username: text
    .meta({ title: 'User name', description: 'For basic authentication, together with a password.' })
    .optional(),
  password: text.meta({ title: 'Password' }).optional(),
}

const PAIR = 'Both username and password must be provided for basic auth'

/** Both or neither, said on both fields. */
export function bothOrNeither(
  { username, password }: { username?: string | undefined; password?: string | undefined },
  context: z.RefinementCtx,
): void {
  if ((username === undefined) === (password === undefined)) return
  for (const field of ['username', 'password']) context.addIssue({ code: 'custom', path: [field], message: PAIR })
}

export const basicHeader = (username: string | undefined, password: string | undefined): Record<string, string> =>
  username === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` }
