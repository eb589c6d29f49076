/** Live tail of a source: events as they are acknowledged, for as long as the component that asks is shown. */
import { useEffect, useRef, useState } from 'react'
import type { LogEvent } from './records.ts'

export type TailState = 'connecting' | 'live' | 'broken'

type Options = {
  token: string
  lql?: string
  isOn?: boolean
  onEvent(event: LogEvent): void
  /** The reader was too slow, or away for too long: so many events were skipped. */
  onMissed?(count: number | null): void
  /** Of several nodes of the service one does not answer, or does again: its events come later. */
  onNode?(node: string, isLost: boolean): void
}

export function useTail({ token, lql = '', isOn = true, onEvent, onMissed, onNode }: Options): TailState {
  const [state, setState] = useState<TailState>('connecting')
  const listeners = useRef({ onEvent, onMissed, onNode })
  listeners.current = { onEvent, onMissed, onNode }

  useEffect(() => {
    if (!isOn) return
    setState('connecting')
    // The browser connects again by itself and says where it was, so nothing is lost over a break.
    const stream = new EventSource(`/api/sources/${token}/tail?${new URLSearchParams({ lql })}`)
    stream.onopen = () => setState('live')
    stream.onerror = () => setState(stream.readyState === EventSource.CLOSED ? 'broken' : 'connecting')
    stream.onmessage = ({ data }) => listeners.current.onEvent(JSON.parse(data))
    stream.addEventListener('missed', ({ data }) => listeners.current.onMissed?.(JSON.parse(data).count))
    stream.addEventListener('node', ({ data }) => {
      const { node, state } = JSON.parse(data)
      listeners.current.onNode?.(node, state === 'lost')
    })
    return () => stream.close()
  }, [token, lql, isOn])

  return state
}
