import type { Role } from '../../api/records.ts'

export const ROLES: readonly { role: Role; about: string }[] = [
  { role: 'viewer', about: 'reads, searches and queries' },
  { role: 'member', about: 'also changes sources, endpoints and alerts' },
  { role: 'admin', about: 'also manages backends, tokens and people' },
  { role: 'owner', about: 'may do everything' },
]

/** Only owners decide who is one. */
export const givableBy = (mine: Role | undefined): Role[] =>
  ROLES.map(({ role }) => role).filter((role) => mine === 'owner' || role !== 'owner')
