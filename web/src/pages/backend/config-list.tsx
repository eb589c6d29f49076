import type { BackendRecord, BackendType } from '../../api/records.ts'
import { Badge } from '../../design/badge.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'

/** What is stored, field by field; a secret only says that it is set. */
export function ConfigList({ backend, type }: { backend: BackendRecord; type: BackendType | undefined }) {
  const fields = new Map(type?.fields.map((field) => [field.name, field]))
  const items = Object.entries(backend.config).map(([name, value]) => ({
    key: fields.get(name)?.label ?? name,
    value: fields.get(name)?.secret ? <Badge tone="good">set</Badge> : <Shown value={value} />,
  }))
  return (
    <div className="px-3 [&_dd:last-of-type]:border-b-0 [&_dt:last-of-type]:border-b-0">
      <KeyValueList items={[...items, { key: 'Token', value: <Data text={backend.token} />, copy: backend.token }]} />
    </div>
  )
}

function Shown({ value }: { value: unknown }) {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'object' || value === null) return <Data text={String(value)} />
  const pairs = Object.entries(value)
  if (pairs.length === 0) return <span className="text-faint">none</span>
  return pairs.map(([name, text]) => <Data key={name} text={`${name}: ${text}`} />)
}

const Data = ({ text }: { text: string }) => (
  <span className="block font-mono text-small [overflow-wrap:anywhere]">{text}</span>
)
