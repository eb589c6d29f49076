/** An editor for warehouse SQL that knows the sources of the account, their fields, and the published queries. */
import { EditorState } from '@codemirror/state'
import { lineNumbers } from '@codemirror/view'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { useApi } from '../api/client.tsx'
import { useEndpoints } from '../api/endpoints.ts'
import { useSources } from '../api/sources.ts'
import { Editor } from './editor.tsx'
import { type Known, type Mark, marked, warehouseSql } from './sql.ts'

/** Fields of more sources than this are not asked for. */
const SOURCES_READ = 5
const FIELDS_FRESH_MS = 60_000

type Props = {
  label: string
  value: string
  onChange(value: string): void
  onSubmit?(value: string): void
  mark?: Mark | null
  isReadOnly?: boolean
  placeholder?: string
  className?: string
}

export function SqlEditor({ mark = null, isReadOnly = false, className, ...rest }: Props) {
  const known = useKnown()
  const language = useMemo(
    () => [lineNumbers(), warehouseSql(known), EditorState.readOnly.of(isReadOnly)],
    [known, isReadOnly],
  )
  const extensions = useMemo(() => (mark ? [language, marked(mark)] : language), [language, mark])
  return <Editor {...rest} extensions={extensions} className={className ?? '[&_.cm-scroller]:min-h-40'} />
}

/** Stays the same object while what it knows changes, so that the editor is not set up anew. */
function useKnown(): Known {
  const api = useApi()
  const queries = useQueryClient()
  const sources = useSources().data ?? []
  const endpoints = useEndpoints().data ?? []
  const now = useRef({ sources, endpoints })
  now.current = { sources, endpoints }
  return useMemo(
    () => ({
      tables: () => [
        ...now.current.sources.map(({ name }) => ({ name, detail: 'source' })),
        ...now.current.endpoints.map(({ name }) => ({ name, detail: 'endpoint' })),
      ],
      async fieldsIn(text) {
        const mentioned = now.current.sources.filter(({ name }) => text.includes(name)).slice(0, SOURCES_READ)
        const schemas = await Promise.all(
          mentioned.map(({ token }) =>
            queries
              .fetchQuery({
                queryKey: ['schema', token],
                queryFn: () => api.get<Record<string, string>>(`/api/sources/${token}/schema?variant=dot`),
                staleTime: FIELDS_FRESH_MS,
              })
              // Completion goes on without the fields; a query that needs them will say so.
              .catch(() => ({})),
          ),
        )
        return Object.assign({}, ...schemas)
      },
    }),
    [api, queries],
  )
}
