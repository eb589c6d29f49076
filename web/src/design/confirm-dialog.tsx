import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { TextInput } from './input.tsx'

type Props = {
  isOpen: boolean
  onClose(): void
  title: string
  /** What will be gone, in plain words. */
  children: ReactNode
  /** The verb: "Delete source". */
  action: string
  onConfirm(): void
  isBusy?: boolean
  error?: string | null
  /** For what cannot be brought back: this name must be typed first. */
  nameToType?: string
}

export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  action,
  onConfirm,
  isBusy = false,
  error,
  nameToType,
}: Props) {
  const [typed, setTyped] = useState('')
  const mayGo = nameToType === undefined || typed === nameToType
  const close = (): void => {
    setTyped('')
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (mayGo) onConfirm()
        }}
      >
        <div className="text-soft">{children}</div>
        {nameToType !== undefined && (
          <Field label={`Type ${nameToType} to go on`}>
            <TextInput
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              autoFocus
              isData
            />
          </Field>
        )}
        {error && (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={!mayGo} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
