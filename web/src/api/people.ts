/** People, invitations and sessions as the pages read and change them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { AccountRecord, InvitationRecord, Role, Session, SessionRecord, UserRecord } from './records.ts'

export type OpenSession = SessionRecord & { email: string; current: boolean }
export type MadeInvitation = InvitationRecord & { link: string; mailed: boolean }

const PEOPLE = ['people']

export function useUsers() {
  const api = useApi()
  return useQuery({
    queryKey: [...PEOPLE, 'users'],
    queryFn: ({ signal }) => api.get<UserRecord[]>('/api/users', signal),
  })
}

export function useInvitations(isWanted: boolean) {
  const api = useApi()
  return useQuery({
    queryKey: [...PEOPLE, 'invitations'],
    enabled: isWanted,
    queryFn: ({ signal }) => api.get<InvitationRecord[]>('/api/invitations', signal),
  })
}

/** One's own; for admins, those of the whole account. */
export function useSessions(isWanted = true) {
  const api = useApi()
  return useQuery({
    queryKey: [...PEOPLE, 'sessions'],
    enabled: isWanted,
    queryFn: ({ signal }) => api.get<OpenSession[]>('/api/sessions', signal),
  })
}

export function useAccount() {
  const api = useApi()
  return useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => api.get<AccountRecord>('/api/account', signal),
  })
}

/** A change of people, after which whatever shows them is asked for again; the session too, as it may be one's own. */
function usePeopleChange<Given, Answer>(change: (api: ReturnType<typeof useApi>, given: Given) => Promise<Answer>) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (given: Given) => change(api, given),
    onSuccess: async () => {
      await Promise.all([PEOPLE, ['session'], ['account']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
}

export const useInvite = () =>
  usePeopleChange((api, fields: { email: string; role: Role }) => api.post<MadeInvitation>('/api/invitations', fields))

export const useWithdraw = () => usePeopleChange((api, id: number) => api.remove(`/api/invitations/${id}`))

export const useChangeRole = () =>
  usePeopleChange((api, { id, role }: { id: number; role: Role }) => api.patch(`/api/users/${id}`, { role }))

export const useRemoveUser = () => usePeopleChange((api, id: number) => api.remove(`/api/users/${id}`))

export const useEndSession = () => usePeopleChange((api, id: number) => api.remove(`/api/sessions/${id}`))

export const useRenameSelf = () =>
  usePeopleChange((api, name: string | null) => api.put<Session>('/api/session', { name }))

export const useChangePassword = (id: number) =>
  usePeopleChange((api, fields: { old_password: string; password: string }) =>
    api.post(`/api/users/${id}/password`, fields),
  )

export const useRenameAccount = (token: string) =>
  usePeopleChange((api, name: string) => api.patch(`/api/teams/${token}`, { name }))
