/** One row looked at closely: every value whole, and a button to copy it. */
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { Row } from '../api/records.ts'
import { IconButton } from '../design/button.tsx'
import { CopyButton } from '../design/code-block.tsx'
import { Drawer } from '../design/dialog.tsx'
import { KeyValueList } from '../design/key-value-list.tsx'
import { columnsOf, fullText, textOf } from './columns.ts'

type Props = {
  row: Row
  /** From 1. */
  number: number
  count: number
  onMove(number: number): void
  onClose(): void
}

export function RowDrawer({ row, number, count, onMove, onClose }: Props) {
  const [...columns] = columnsOf([row])
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={`Row ${number} of ${count}`}
      footer={
        <>
          <IconButton icon={ChevronUp} label="Previous row" disabled={number <= 1} onClick={() => onMove(number - 1)} />
          <IconButton
            icon={ChevronDown}
            label="Next row"
            disabled={number >= count}
            onClick={() => onMove(number + 1)}
          />
          <span className="grow" />
          <CopyButton text={JSON.stringify(row, null, 2)} label="Copy row as JSON" size="normal" />
        </>
      }
    >
      <KeyValueList
        items={columns.map(({ name, kind }) => ({
          key: name,
          copy: fullText(row[name]),
          value: (
            <span className="font-mono text-small break-all whitespace-pre-wrap">
              {kind === 'time' ? `${textOf(row[name], kind)} UTC` : fullText(row[name])}
            </span>
          ),
        }))}
      />
    </Drawer>
  )
}
