import { useEffect, useState } from 'react'
import type { BackendStatus } from '../../api/records.ts'

/** About two minutes, one sample with every refresh. */
const SAMPLES = 60

export type Sample = { atMs: number; delivered: number; waiting: number }

/** What was seen of the delivery since the page was opened. */
export function useDeliveryHistory(status: BackendStatus | undefined, atMs: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refresh with the same numbers is a sample too
  useEffect(() => {
    if (!status) return
    const { delivered, lag_events } = status
    setSamples((before) => [...before, { atMs, delivered, waiting: lag_events }].slice(-SAMPLES))
  }, [atMs])
  return samples
}

/** Events per second between two samples. A restart of the service counts from zero again. */
export function deliveryRates(samples: readonly Sample[]): number[] {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index]
    const seconds = before ? (sample.atMs - before.atMs) / 1000 : 0
    return before && seconds > 0 ? Math.max(sample.delivered - before.delivered, 0) / seconds : 0
  })
}
