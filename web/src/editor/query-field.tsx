/** The SQL editor as a field of a form: its label, a line of help, and what is wrong with it. */
import type { ReactNode } from 'react'
import type { Mark } from './sql.ts'
import { SqlEditor } from './sql-editor.tsx'

type Props = {
  label: string
  value: string
  onChange(value: string): void
  onSubmit?(value: string): void
  help?: ReactNode
  error?: string[] | undefined
  mark?: Mark | null
  isReadOnly?: boolean
  /** As high as a form beside it. */
  isTall?: boolean
}

export function QueryField({
  label,
  value,
  onChange,
  onSubmit,
  help,
  error,
  mark = null,
  isReadOnly = false,
  isTall = false,
}: Props) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="font-medium">{label}</span>
      <SqlEditor
        label={label}
        value={value}
        onChange={onChange}
        {...(onSubmit ? { onSubmit } : {})}
        mark={mark}
        isReadOnly={isReadOnly}
        placeholder="select …"
        className={isTall ? '[&_.cm-scroller]:min-h-40 wide:[&_.cm-scroller]:min-h-96' : '[&_.cm-scroller]:min-h-40'}
      />
      {help && <p className="text-small text-faint">{help}</p>}
      {error && (
        <p role="alert" className="text-small text-danger">
          {error.join(', ')}
        </p>
      )}
    </div>
  )
}
