import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keepSession, useApi } from '../api/client.tsx'
import { useToast } from '../design/toast.tsx'

export function useLogOut(): () => Promise<void> {
  const api = useApi()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const say = useToast()
  return async () => {
    const outcome = await api.request('DELETE', '/api/session')
    // 401: somebody else ended it already.
    if (!outcome.ok && outcome.problem.status !== 401) return say(outcome.problem.message, 'bad')
    await navigate({ to: '/login' })
    keepSession(queries, null)
  }
}
