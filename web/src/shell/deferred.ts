import { useEffect, useState } from 'react'

/** A value once it has stood still for so long: for work that need not follow every key. */
export function useDeferred<T>(value: T, stillMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), stillMs)
    return () => clearTimeout(timer)
  }, [value, stillMs])
  return settled
}
