/** Asks for the keys that the searches of a source should name, before a search without them costs a lot. */
import { useState } from 'react'
import { Problem } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { withFilter } from './lql-text.ts'

export type MissingKeys = { sentence: string; missing: string[]; required: string[] }

/** What a refused search lacks; null when it was refused for another reason, or not at all. */
export function missingKeysOf(error: unknown): MissingKeys | null {
  if (!(error instanceof Problem) || error.status !== 409 || !Array.isArray(error.details.missing_keys)) return null
  const { missing_keys: missing, required_keys: required } = error.details
  return {
    sentence: error.message,
    missing: missing.map(String),
    required: Array.isArray(required) ? required.map(String) : [],
  }
}

type Props = {
  keys: MissingKeys
  lql: string
  onAsk(lql: string): void
  onForce(): void
  onClose(): void
}

export function MissingKeysDialog({ keys: { missing, required }, lql, onAsk, onForce, onClose }: Props) {
  const [values, setValues] = useState<Record<string, string>>({})
  const typed = missing.filter((key) => values[key]?.trim())
  const lacks = required.filter((key) => !values[key]?.trim())
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="This source asks for more"
      description={
        required.length > 0
          ? `Searches must name ${required.join(', ')}, so that they stay quick.`
          : `Searches should name ${missing.join(', ')}, so that they stay quick.`
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (lacks.length > 0 || typed.length === 0) return
          onAsk(typed.reduce((text, key) => withFilter(text, key, values[key]!.trim(), 'in'), lql))
        }}
      >
        {missing.map((key, index) => (
          <Field key={key} label={key} isOptional={!required.includes(key)}>
            <TextInput
              isData
              autoFocus={index === 0}
              autoComplete="off"
              value={values[key] ?? ''}
              onChange={({ target }) => setValues({ ...values, [key]: target.value })}
            />
          </Field>
        ))}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          {required.length === 0 && <Button onClick={onForce}>Run anyway</Button>}
          <Button kind="primary" type="submit" disabled={lacks.length > 0 || typed.length === 0}>
            Add and search
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
