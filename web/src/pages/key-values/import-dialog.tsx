/** Entries from a file: read here, shown in numbers, then written in pieces. */
import { FileUp } from 'lucide-react'
import { useId, useState } from 'react'
import { type Entry, usePutEntries } from '../../api/key-values.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { exactCount } from '../../design/numbers.ts'
import { useToast } from '../../design/toast.tsx'
import { type Read, readFile } from './read-file.ts'

/** Entries and characters of one request; the service takes 12 MB. */
const PIECE_ENTRIES = 2_000
const PIECE_CHARACTERS = 3_000_000
const FILE_BYTES_MAX = 100_000_000
const SHOWN = 3

export function ImportDialog({ onClose }: { onClose(): void }) {
  const id = useId()
  const put = usePutEntries()
  const say = useToast()
  const [read, setRead] = useState<(Read & { name: string }) | null>(null)
  const [written, setWritten] = useState(0)
  const entries = read && 'entries' in read ? read.entries : []

  async function open(file: File | undefined): Promise<void> {
    put.reset()
    setWritten(0)
    if (!file) return
    const { name } = file
    if (file.size > FILE_BYTES_MAX) setRead({ name, problems: ['The file is over 100 MB. Split it.'] })
    else setRead({ name, ...readFile(name, await file.text()) })
  }

  async function write(): Promise<void> {
    let done = written
    try {
      for (const piece of pieces(entries.slice(done))) {
        await put.mutateAsync(piece)
        done += piece.length
        setWritten(done)
      }
    } catch {
      // Shown below, from `put`; pressing again goes on where it stopped.
      return
    }
    say(`${exactCount(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'} imported.`)
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Import entries"
      description="Existing keys get the new values; other entries stay."
    >
      <div className="flex flex-col gap-4">
        <label
          htmlFor={id}
          className="flex cursor-pointer flex-col items-center gap-1 rounded-base border border-dashed border-line-strong px-4 py-6 text-center focus-within:outline-2 focus-within:outline-accent hover:bg-hover"
        >
          <FileUp size={18} className="text-faint" aria-hidden />
          <span className="font-medium">{read?.name ?? 'Choose a file'}</span>
          <span className="text-small text-faint">JSON, NDJSON or CSV</span>
          <input
            id={id}
            type="file"
            accept=".json,.ndjson,.jsonl,.csv,application/json,text/csv"
            className="sr-only"
            onChange={({ target }) => open(target.files?.[0])}
          />
        </label>
        {read === null && (
          <p className="text-small text-faint">
            JSON: a list of {'{"key", "value"}'}, or an object from key to value. NDJSON: one entry a line. CSV: a
            column key, and a column for each field of the value.
          </p>
        )}
        {read && 'problems' in read && (
          <div role="alert" className="flex flex-col gap-1 rounded-base bg-danger-soft px-3 py-2 text-danger">
            {read.problems.map((problem) => (
              <p key={problem} className="break-words">
                {problem}
              </p>
            ))}
          </div>
        )}
        {entries.length > 0 && (
          <div className="flex flex-col gap-2">
            <p role="status">
              {exactCount(entries.length)} {entries.length === 1 ? 'entry' : 'entries'} found
              {written > 0 && `, ${exactCount(written)} written`}.
            </p>
            <CodeBlock code={entries.slice(0, SHOWN).map(lineOf).join('\n')} label="first entries" />
          </div>
        )}
        {put.isError && (
          <p role="alert" className="break-words text-danger">
            {sentenceOfError(put.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={entries.length === 0} isBusy={put.isPending} onClick={write}>
            Import
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const lineOf = ({ key, value }: Entry): string => `${key} → ${JSON.stringify(value)}`

function* pieces(entries: Entry[]): Generator<Entry[]> {
  let piece: Entry[] = []
  let characters = 0
  for (const entry of entries) {
    const length = JSON.stringify(entry).length
    if (piece.length === PIECE_ENTRIES || (piece.length > 0 && characters + length > PIECE_CHARACTERS)) {
      yield piece
      piece = []
      characters = 0
    }
    piece.push(entry)
    characters += length
  }
  if (piece.length > 0) yield piece
}
