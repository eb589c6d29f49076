import { useState } from 'react'
import { useAccount, useRenameAccount } from '../../api/people.ts'
import type { AccountRecord } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'

export function AccountCard() {
  const account = useAccount()
  const mayRename = useMay('owner')
  return (
    <Card title="The account you belong to">
      {account.isPending && <Loading rows={2} label="Loading the account" />}
      {account.isError && !account.data && <ErrorState error={account.error} onRetry={() => account.refetch()} />}
      {account.data && (
        <div className="flex flex-col gap-3 p-3">
          {mayRename && <RenameForm key={account.data.name} account={account.data} />}
          <KeyValueList
            items={[
              ...(mayRename ? [] : [{ key: 'Name', value: account.data.name }]),
              {
                key: 'Token',
                value: <span className="font-mono text-small break-all">{account.data.token}</span>,
                copy: account.data.token,
              },
              { key: 'Plan', value: account.data.plan.replaceAll('_', ' ') },
            ]}
          />
          {!mayRename && <p className="text-small text-faint">Renaming the account needs the role owner.</p>}
        </div>
      )}
    </Card>
  )
}

function RenameForm({ account }: { account: AccountRecord }) {
  const rename = useRenameAccount(account.token)
  const say = useToast()
  const [name, setName] = useState(account.name)
  const errors = rename.error instanceof Problem ? rename.error.fields : {}
  return (
    <form
      className="flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate(name, { onSuccess: () => say('The account is renamed.') })
      }}
    >
      <div className="min-w-0 grow">
        <Field label="Account name" error={errors.name ?? (rename.isError ? sentenceOfError(rename.error) : null)}>
          <TextInput
            name="account"
            required
            maxLength={255}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
      </div>
      <Button type="submit" className="mt-6" isBusy={rename.isPending} disabled={name === account.name}>
        Rename
      </Button>
    </form>
  )
}
