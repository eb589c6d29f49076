import { Trash2 } from 'lucide-react'
import type { Entry } from '../../api/key-values.ts'
import { IconButton } from '../../design/button.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Checkbox } from '../../design/toggle.tsx'

type Props = {
  entries: Entry[]
  chosen: ReadonlySet<string>
  onChoose(keys: ReadonlySet<string>): void
  onOpen(entry: Entry): void
  onDelete(entry: Entry): void
  mayChange: boolean
}

export function EntryTable({ entries, chosen, onChoose, onOpen, onDelete, mayChange }: Props) {
  const choose = (key: string, isOn: boolean): void => {
    const next = new Set(chosen)
    if (isOn) next.add(key)
    else next.delete(key)
    onChoose(next)
  }
  const count = entries.filter(({ key }) => chosen.has(key)).length
  const columns: Column<Entry>[] = [
    {
      id: 'key',
      header: 'Key',
      width: 'wide:w-80',
      cell: (entry) => (
        <button
          type="button"
          className="py-1.5 text-left font-mono text-small font-medium [overflow-wrap:anywhere] hover:text-accent"
          onClick={() => onOpen(entry)}
        >
          {entry.key}
        </button>
      ),
    },
    {
      id: 'value',
      header: 'Value',
      isWideOnly: true,
      cell: ({ value }) => (
        <code className="block max-w-[48vw] truncate font-mono text-small text-soft">{JSON.stringify(value)}</code>
      ),
    },
  ]
  if (!mayChange) return <Table label="Key-values" columns={columns} rows={entries} keyOf={({ key }) => key} />
  const choice: Column<Entry> = {
    id: 'choice',
    header: (
      <Checkbox
        label="Choose all shown"
        hidesLabel
        isOn={count === 0 ? false : count === entries.length ? true : 'some'}
        onChange={(isOn) => onChoose(new Set(isOn ? entries.map(({ key }) => key) : []))}
      />
    ),
    width: 'w-9',
    cell: ({ key }) => (
      <Checkbox label={`Choose ${key}`} hidesLabel isOn={chosen.has(key)} onChange={(isOn) => choose(key, isOn)} />
    ),
  }
  const actions: Column<Entry> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    width: 'w-10',
    cell: (entry) => (
      <IconButton icon={Trash2} size="small" label={`Delete ${entry.key}`} onClick={() => onDelete(entry)} />
    ),
  }
  return <Table label="Key-values" columns={[choice, ...columns, actions]} rows={entries} keyOf={({ key }) => key} />
}
