/** Changes of a source that are not saved yet. They outlive a change of the tab, and are saved together. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/client.tsx'
import type { SourceRecord } from '../../api/records.ts'
import { type FieldErrors, Problem, sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'

/** An input may be empty where the record must not be; the service says so. */
export type Changes = { [Name in keyof SourceRecord]?: SourceRecord[Name] | null }

export type Draft = {
  source: SourceRecord
  /** As it would be after saving. */
  value<Name extends keyof SourceRecord>(name: Name): SourceRecord[Name] | null
  set<Name extends keyof SourceRecord>(name: Name, value: SourceRecord[Name] | null): void
  /** What differs from the stored record. */
  changes: Changes
  errors: FieldErrors
  /** What the service said of the last try to save; null when it took it. */
  sentence: string | null
  save(): void
  discard(): void
  isSaving: boolean
  mayChange: boolean
}

export function useDraft(source: SourceRecord, onSaved: () => void): Draft {
  const api = useApi()
  const queries = useQueryClient()
  const [changes, setChanges] = useState<Changes>({})
  /** Changed since the service last looked; what it said of them is old. */
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const save = useMutation({
    mutationFn: (sent: Changes) => api.put<SourceRecord>(`/api/sources/${source.token}`, sent),
    async onSuccess(record) {
      queries.setQueryData(['sources', source.token], record)
      setChanges({})
      onSaved()
      await queries.invalidateQueries({ queryKey: ['sources'] })
    },
  })
  const told = save.error instanceof Problem ? save.error.fields : {}
  const errors = Object.fromEntries(Object.entries(told).filter(([name]) => !touched.has(name.split('.', 1)[0] ?? '')))
  const isOld = Object.keys(told).length > 0 && Object.keys(errors).length === 0
  return {
    source,
    value: (name) => (name in changes ? (changes[name] ?? null) : source[name]),
    set(name, value) {
      const { [name]: _before, ...others } = changes
      setTouched(new Set([...touched, name]))
      setChanges(isSame(value, source[name]) ? others : { ...others, [name]: value })
    },
    changes,
    errors,
    sentence: save.isError && !isOld ? sentenceOfError(save.error) : null,
    save() {
      setTouched(new Set())
      save.mutate(changes)
    },
    discard() {
      setChanges({})
      save.reset()
    },
    isSaving: save.isPending,
    mayChange: useMay('member'),
  }
}

/** Nothing and empty text are the same to the service. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a || null) === JSON.stringify(b || null)
