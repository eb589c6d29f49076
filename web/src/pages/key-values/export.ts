/** Entries as a file that can be imported again. */
import type { Entry } from '../../api/key-values.ts'

export type ExportKind = 'json' | 'ndjson'

export function saveEntries(entries: Entry[], kind: ExportKind): void {
  const text =
    kind === 'json'
      ? `${JSON.stringify(entries, null, 2)}\n`
      : entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `key-values.${kind}`
  link.click()
  URL.revokeObjectURL(address)
}
