import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ErrorState } from '../design/states.tsx'

/** A page that failed takes down nothing but itself. */
export function Broken({ error }: { error: unknown }) {
  const router = useRouter()
  useEffect(() => console.error(error), [error])
  return <ErrorState error={error} title="This page failed" onRetry={() => router.invalidate()} />
}
