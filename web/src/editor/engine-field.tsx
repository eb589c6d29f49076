import { useBackends, useEngines } from '../api/queries.ts'
import type { EndpointSettings } from '../api/records.ts'
import { Field } from '../design/field.tsx'
import { Select } from '../design/select.tsx'

type Props = {
  backendId: number | null
  error: string[] | undefined
  isDisabled?: boolean
  onChange(backendId: number | null, language: EndpointSettings['language']): void
}

/** Radix keeps the empty text for "nothing chosen". */
const OWN = 'own'
const LANGUAGES = new Map<string, EndpointSettings['language']>([
  ['postgres', 'pg_sql'],
  ['clickhouse', 'ch_sql'],
])

/** Shown when there is a choice, or when the one that was made does not hold. */
export function EngineField({ backendId, error, isDisabled = false, onChange }: Props) {
  const engines = useEngines()
  const backends = useBackends().data ?? []
  if (engines.length === 1 && backendId === null && !error) return null
  const choose = (value: string): void => {
    const type = backends.find(({ id }) => String(id) === value)?.type ?? ''
    onChange(value === OWN ? null : Number(value), LANGUAGES.get(type) ?? 'bq_sql')
  }
  return (
    <Field label="Engine" error={error} help="Where the query runs; each speaks its own SQL.">
      <Select
        value={backendId === null ? OWN : String(backendId)}
        onChange={choose}
        isDisabled={isDisabled}
        options={engines.map((engine) => ({ ...engine, value: engine.value || OWN }))}
      />
    </Field>
  )
}
