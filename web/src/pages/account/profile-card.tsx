import { useState } from 'react'
import { useRenameSelf } from '../../api/people.ts'
import type { Session } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { useToast } from '../../design/toast.tsx'

export function ProfileCard({ user }: { user: Session['user'] }) {
  const rename = useRenameSelf()
  const say = useToast()
  const [name, setName] = useState(user.name ?? '')
  const errors = rename.error instanceof Problem ? rename.error.fields : {}
  return (
    <Card title="You">
      <form
        className="flex items-start gap-2 p-3"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(name.trim() || null, { onSuccess: () => say('Your name is saved.') })
        }}
      >
        <div className="min-w-0 grow">
          <Field
            label="Name"
            help="Others see it in place of your e-mail."
            error={errors.name ?? (rename.isError ? sentenceOfError(rename.error) : null)}
          >
            <TextInput
              name="name"
              autoComplete="name"
              maxLength={255}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
        </div>
        <Button type="submit" className="mt-6" isBusy={rename.isPending} disabled={name.trim() === (user.name ?? '')}>
          Save name
        </Button>
      </form>
    </Card>
  )
}
