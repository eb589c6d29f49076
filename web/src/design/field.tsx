/** A labelled input: the label, a line of help, and what is wrong, all tied together for screen readers. */
import { createContext, type ReactNode, useContext, useId } from 'react'

export type FieldIds = { id: string; describedBy: string | undefined; isInvalid: boolean }
const FieldContext = createContext<FieldIds | null>(null)

type FieldProps = {
  label: string
  help?: ReactNode
  /** One sentence, or the texts of a 422 answer for this field. */
  error?: string | string[] | null | undefined
  isOptional?: boolean
  children: ReactNode
}

export function Field({ label, help, error, isOptional = false, children }: FieldProps) {
  const id = useId()
  const texts = typeof error === 'string' ? error : (error?.join(', ') ?? '')
  const isInvalid = texts !== ''
  const describedBy = [help && `${id}-help`, isInvalid && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="flex items-baseline gap-2 font-medium">
        {label}
        {isOptional && <span className="text-small font-normal text-faint">optional</span>}
      </label>
      <FieldContext.Provider value={{ id, describedBy, isInvalid }}>{children}</FieldContext.Provider>
      {help && (
        <p id={`${id}-help`} className="text-small text-faint">
          {help}
        </p>
      )}
      {isInvalid && (
        <p id={`${id}-error`} role="alert" className="text-small text-danger">
          {texts}
        </p>
      )}
    </div>
  )
}

/** What an input inside a `Field` puts on its element; nothing outside of one. */
export function useFieldProps(): { id?: string; 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const field = useContext(FieldContext)
  if (field === null) return {}
  return {
    id: field.id,
    ...(field.describedBy ? { 'aria-describedby': field.describedBy } : {}),
    ...(field.isInvalid ? { 'aria-invalid': true } : {}),
  }
}
