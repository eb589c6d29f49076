import { History, Trash2 } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { ago, count } from '../../design/numbers.ts'
import { EmptyState } from '../../design/states.tsx'
import type { Remembered } from './history.ts'

type Props = { entries: Remembered[]; onChoose(sql: string): void; onForget(): void }

export function HistoryList({ entries, onChoose, onForget }: Props) {
  if (entries.length === 0)
    return (
      <EmptyState icon={History} title="Nothing asked yet">
        The last fifty queries that you run are kept in this browser.
      </EmptyState>
    )
  return (
    <>
      <div className="flex items-center justify-between border-b border-line py-1 pr-2 pl-3 text-small text-faint">
        Kept in this browser only
        <Button size="small" kind="quiet" icon={Trash2} onClick={onForget}>
          Forget all
        </Button>
      </div>
      <ul>
        {entries.map(({ sql, at, rows, ms, error }) => (
          <li key={sql} className="border-b border-line last:border-b-0">
            <button
              type="button"
              onClick={() => onChoose(sql)}
              className="flex w-full min-w-0 flex-col gap-0.5 px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <code className="line-clamp-2 font-mono text-small break-all">{sql}</code>
              <span className="text-small text-faint">
                {ago(at, Date.now())}
                {error === null ? ` · ${count(rows ?? 0)} rows · ${ms ?? 0} ms` : ''}
                {error !== null && <span className="text-danger"> · {error}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
