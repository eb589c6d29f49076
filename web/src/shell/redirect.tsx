import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Goes to another address of the interface, once, and leaves no entry behind to come back to. */
export function Redirect({ to }: { to: string }) {
  const { history } = useRouter()
  useEffect(() => history.replace(to), [history, to])
  return null
}
