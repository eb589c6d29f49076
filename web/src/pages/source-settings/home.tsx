/** Where the events of a source live: the embedded warehouse, or a backend that keeps events and can be asked. */
import { Link } from '@tanstack/react-router'
import type { SourceRecord } from '../../api/records.ts'
import { Field } from '../../design/field.tsx'
import { Select } from '../../design/select.tsx'
import { useBackends } from './attached.ts'
import type { Draft } from './draft.ts'

/** The word of the list for no backend. */
const EMBEDDED = 'warehouse'
const STORES = ['postgres', 'clickhouse', 'bigquery']

export function HomeSetting({ draft }: { draft: Draft }) {
  const backends = useBackends()
  const { source } = draft
  const stores = (backends.data ?? []).filter(({ type }) => STORES.includes(type))
  // One that the settings of the deployment name is in no list.
  const isManaged = source.home !== null && !stores.some(({ token }) => token === source.home)
  const home = draft.value('home')
  if (stores.length === 0 && !isManaged) return null
  return (
    <Field
      label="Home"
      error={draft.errors.home}
      help="Where events live from now on. Those that are there already stay where they are, and are no longer found here after a change."
    >
      <Select
        value={home ?? EMBEDDED}
        isDisabled={!draft.mayChange}
        onChange={(chosen: string) => draft.set('home', chosen === EMBEDDED ? null : chosen)}
        options={[
          { value: EMBEDDED, label: 'Embedded warehouse' },
          ...(isManaged && source.home
            ? [{ value: source.home, label: 'Default backend', hint: source.home_type }]
            : []),
          ...stores.map(({ token, name, type }) => ({ value: token, label: name, hint: type })),
        ]}
      />
    </Field>
  )
}

export function HomeFact({ source: { home, home_type } }: { source: SourceRecord }) {
  if (home === null) return 'Embedded warehouse'
  return (
    <Link to={`/backends/${home}`} className="hover:text-accent">
      {home_type}
    </Link>
  )
}
