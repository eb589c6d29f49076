import { useEffect, useState } from 'react'
import type { SourceRecord } from '../../api/records.ts'

/** Two minutes of samples, one with every refresh of the list. */
const SAMPLES = 24

export type RateHistory = ReadonlyMap<string, readonly number[]>

/** The rates of the sources since the page was opened; `at` tells one refresh from the next. */
export function useRateHistory(sources: readonly SourceRecord[] | undefined, at: number): RateHistory {
  const [history, setHistory] = useState<RateHistory>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refresh with the same numbers is a sample too
  useEffect(() => {
    if (!sources) return
    setHistory((before) => nextHistory(before, sources))
  }, [at])
  return history
}

export function nextHistory(
  before: RateHistory,
  sources: readonly Pick<SourceRecord, 'token' | 'metrics'>[],
): RateHistory {
  return new Map(
    sources.map(({ token, metrics }) => [token, [...(before.get(token) ?? []), metrics.rate].slice(-SAMPLES)]),
  )
}
