/** What the person who is logged in may do. The service decides; the pages only do not offer what it would refuse. */
import { useSession } from './client.tsx'
import type { Role } from './records.ts'

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 }

/** Whether the person has at least this role. */
export function useMay(needed: Role): boolean {
  const role = useSession().data?.user.role
  return role !== undefined && RANK[role] >= RANK[needed]
}
