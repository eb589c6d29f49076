/**
 * People log in with e-mail and password, or through an identity provider. Each belongs to one account and has one role
 * in it; a role may do all that the ones before it may.
 */
import { z } from 'zod'
import { plainText } from './text.ts'

/** Lowest first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export const Role = z.enum(ROLES)
export type Role = z.infer<typeof Role>

export const covers = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed)

export const PASSWORD_CHARACTERS_MIN = 10
/** Hashing costs the same for any length, but reading the text does not. */
export const PASSWORD_BYTES_MAX = 1024
const EMAIL_CHARACTERS_MAX = 254

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Kept in lower case: nobody has two mailboxes that differ in that. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(
    z
      .string()
      .min(1)
      .max(EMAIL_CHARACTERS_MAX)
      .regex(/^[^\s@<>,;:"()\u0000-\u001f\u007f]+@[^\s@<>,;:"()\u0000-\u001f\u007f]+$/, 'is not an e-mail address'),
  )

export const NewPassword = z
  .string()
  .refine((text) => [...text].length >= PASSWORD_CHARACTERS_MIN, {
    message: `must have at least ${PASSWORD_CHARACTERS_MIN} characters`,
    abort: true,
  })
  .refine((text) => bytesOf(text) <= PASSWORD_BYTES_MAX, `must have at most ${PASSWORD_BYTES_MAX} bytes`)

/** One that is only compared: the rules for new ones may have changed since it was set. */
export const GivenPassword = z
  .string()
  .min(1)
  .refine((text) => bytesOf(text) <= PASSWORD_BYTES_MAX, `must have at most ${PASSWORD_BYTES_MAX} bytes`)

export const PersonName = z.string().trim().pipe(plainText(255))

export const UserRecord = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string().nullable(),
  role: Role,
  inserted_at: z.iso.datetime(),
  last_login_at: z.iso.datetime().nullable(),
})
export type UserRecord = z.infer<typeof UserRecord>

export type User = UserRecord & {
  account_id: number /** False for people who come through an identity provider. */
  hasPassword: boolean
}

export type NewUser = { email: string; name: string | null; role: Role /** Hashed. */; password: string | null }

export function userRecord({ id, email, name, role, inserted_at, last_login_at }: User): UserRecord {
  return { id, email, name, role, inserted_at, last_login_at }
}

/** A browser that is logged in. */
export const SessionRecord = z.object({
  id: z.int(),
  user_id: z.int(),
  address: z.string(),
  user_agent: z.string().nullable(),
  inserted_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
})
export type SessionRecord = z.infer<typeof SessionRecord>

export const InvitationRecord = z.object({
  id: z.int(),
  email: z.string(),
  role: Role,
  invited_by: z.string(),
  inserted_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})
export type InvitationRecord = z.infer<typeof InvitationRecord>

export type Invitation = InvitationRecord & { account_id: number }
