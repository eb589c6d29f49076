import { useState } from 'react'
import { useChangePassword } from '../../api/people.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { useToast } from '../../design/toast.tsx'

const EMPTY = { old: '', next: '', again: '' }

export function PasswordCard({ userId }: { userId: number }) {
  const change = useChangePassword(userId)
  const say = useToast()
  const [words, setWords] = useState(EMPTY)
  const [isUnequal, setUnequal] = useState(false)
  const errors = change.error instanceof Problem ? change.error.fields : {}
  const input = (name: keyof typeof EMPTY) => ({
    type: 'password',
    name,
    required: true,
    value: words[name],
    onChange: ({ target }: { target: { value: string } }) => setWords({ ...words, [name]: target.value }),
  })
  return (
    <Card title="Password">
      <form
        className="flex flex-col gap-4 p-3"
        onSubmit={(event) => {
          event.preventDefault()
          setUnequal(words.next !== words.again)
          if (words.next !== words.again) return
          change.mutate(
            { old_password: words.old, password: words.next },
            {
              onSuccess() {
                setWords(EMPTY)
                say('Your password is changed. All your other browsers are logged out.')
              },
            },
          )
        }}
      >
        <Field label="Present password" error={errors.old_password}>
          <TextInput {...input('old')} autoComplete="current-password" />
        </Field>
        <Field label="New password" help="At least 10 characters." error={errors.password}>
          <TextInput {...input('next')} autoComplete="new-password" minLength={10} />
        </Field>
        <Field label="New password again" error={isUnequal ? 'The two are not the same.' : null}>
          <TextInput {...input('again')} autoComplete="new-password" />
        </Field>
        {change.isError && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-danger">
            {sentenceOfError(change.error)}
          </p>
        )}
        <div className="flex items-center justify-between gap-3">
          <p className="text-small text-faint">Your other browsers are logged out with it.</p>
          <Button type="submit" isBusy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  )
}
