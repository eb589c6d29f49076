/** The address of a page as pages read and change it: parameters of the path, and texts behind the question mark. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'

/** The value of `$name` in the path. */
export function useParam(name: string): string {
  const params: Record<string, unknown> = useParams({ strict: false })
  const value = params[name]
  if (typeof value !== 'string') throw new Error(`this page's path has no $${name}`)
  return value
}

export type Query = Record<string, string>

/** The texts behind the question mark, and a way to change some of them; an empty text leaves. */
export function useQueryTexts(): [Query, (changes: Query, options?: { replace?: boolean }) => void] {
  const query: Query = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Query, { replace = false } = {}) => {
      const next = (before: Query): Query =>
        Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, text]) => text !== ''))
      void navigate({ to: '.', search: next as never, replace })
    },
    [navigate],
  )
  return [query, change]
}

/** Addresses stay plain: `?lql=m.status:500`, no quotes and no JSON. */
export const readQuery = (text: string): Query => Object.fromEntries(new URLSearchParams(text))

export function writeQuery(query: Record<string, unknown>): string {
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const text = new URLSearchParams(entries).toString()
  return text === '' ? '' : `?${text}`
}

export function showTitle(title: string): void {
  document.title = `${title} · Millrace`
}

/** For a page whose title depends on what it shows. */
export function useTitle(title: string): void {
  useEffect(() => showTitle(title), [title])
}
