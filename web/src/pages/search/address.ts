/** A search as its address says it. Whoever opens the address sees the same search. */
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useQueryTexts } from '../../shell/address.ts'
import { keepColumns, keptColumns } from './columns.ts'
import { browserZone, isZone } from './times.ts'

export type Search = {
  token: string
  lql: string
  zone: string
  /** Without the keys that the source suggests. */
  isForced: boolean
  /** Tells one run of the same search from the next. */
  run: number
}

export type OpenEvent = { id: string; timestamp: string }

export type Address = {
  search: Search
  isLive: boolean
  columns: string[]
  isWrapped: boolean
  openEvent: OpenEvent | null
  /** Searches for this text, also when it is the one that was searched for already. */
  ask(lql: string, more?: { isLive?: boolean; isForced?: boolean }): void
  setZone(zone: string): void
  setLive(isLive: boolean): void
  setWrapped(isWrapped: boolean): void
  setColumns(columns: string[]): void
  show(event: OpenEvent | null): void
}

export function useAddress(token: string): Address {
  const [query, change] = useQueryTexts()
  const [run, setRun] = useState(0)
  const { lql = '', live = '', force = '', columns, wrap = '', event = '', at = '' } = query
  const zone = query.tz && isZone(query.tz) ? query.tz : browserZone()

  // Times without an offset mean another thing in another zone, so the zone is part of what is shared.
  useEffect(() => {
    const kept = keptColumns(token).join(',')
    if (query.tz !== zone) change({ tz: zone, columns: columns ?? kept }, { replace: true })
  }, [query.tz, zone, columns, token, change])

  const search = useMemo(() => ({ token, lql, zone, isForced: force === 'true', run }), [token, lql, zone, force, run])
  const shown = useMemo(
    () => (columns === undefined ? keptColumns(token) : columns.split(',').filter((path) => path !== '')),
    [columns, token],
  )
  const ask = useCallback<Address['ask']>(
    (text, { isLive, isForced = false } = {}) => {
      setRun((before) => before + 1)
      change({
        lql: text.trim(),
        force: isForced ? 'true' : '',
        ...(isLive === undefined ? {} : { live: isLive ? '1' : '' }),
      })
    },
    [change],
  )
  return {
    search,
    isLive: live === '1',
    isWrapped: wrap === '1',
    columns: shown,
    openEvent: event === '' ? null : { id: event, timestamp: at },
    ask,
    setZone: (next) => change({ tz: next }),
    setLive: (isOn) => change({ live: isOn ? '1' : '' }, { replace: true }),
    setWrapped: (isOn) => change({ wrap: isOn ? '1' : '' }, { replace: true }),
    setColumns(next) {
      keepColumns(token, next)
      change({ columns: next.join(',') }, { replace: true })
    },
    show: (opened) => change({ event: opened?.id ?? '', at: opened?.timestamp ?? '' }, { replace: true }),
  }
}
