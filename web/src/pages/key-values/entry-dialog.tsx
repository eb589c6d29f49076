import { useState } from 'react'
import { type Entry, usePutEntries } from '../../api/key-values.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { useToast } from '../../design/toast.tsx'

type Props = {
  /** The one to change; null for a new one. */
  entry: Entry | null
  isReadOnly: boolean
  onClose(): void
}

export function EntryDialog({ entry, isReadOnly, onClose }: Props) {
  const put = usePutEntries()
  const say = useToast()
  const [key, setKey] = useState(entry?.key ?? '')
  const [text, setText] = useState(entry ? JSON.stringify(entry.value, null, 2) : '')
  const [isTried, setTried] = useState(false)
  const read = readValue(text)
  const errors = put.error instanceof Problem ? put.error.fields : {}
  const isAtField = errors['0.key'] !== undefined || errors['0.value'] !== undefined

  const submit = (): void => {
    setTried(true)
    if (isReadOnly || !('value' in read)) return
    put.mutate([{ key, value: read.value }], {
      onSuccess() {
        say(entry ? `${key} is changed.` : `${key} is added.`)
        onClose()
      },
    })
  }
  // While somebody is typing, half of a text is no mistake yet; what cannot become JSON is told at once.
  const problem = 'problem' in read && (isTried || text.trim() !== '') ? read.problem : null
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={entry ? (isReadOnly ? 'Entry' : 'Edit entry') : 'New entry'}
      description="Enrichment rules of sources look entries up by their key."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Field label="Key" error={errors['0.key']} help={entry ? undefined : 'An existing key gets the new value.'}>
          <TextInput
            value={key}
            onChange={({ target }) => {
              setKey(target.value)
              put.reset()
            }}
            readOnly={entry !== null}
            autoFocus={entry === null}
            autoComplete="off"
            spellCheck={false}
            isData
          />
        </Field>
        <Field label="Value" error={errors['0.value'] ?? problem} help="A JSON object with at least one field.">
          <TextArea
            rows={12}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              put.reset()
            }}
            readOnly={isReadOnly}
            placeholder={'{ "org": { "name": "Acme" } }'}
            spellCheck={false}
            isData
          />
        </Field>
        {put.isError && !isAtField && (
          <p role="alert" className="text-danger">
            {sentenceOfError(put.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{isReadOnly ? 'Close' : 'Cancel'}</Button>
          {!isReadOnly && (
            <Button kind="primary" type="submit" isBusy={put.isPending}>
              {entry ? 'Save entry' : 'Add entry'}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

function readValue(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: { ...value } }
    return { problem: 'must be a JSON object: { … }' }
  } catch (error) {
    return { problem: `is no JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` }
  }
}
