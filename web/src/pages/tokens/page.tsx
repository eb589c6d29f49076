/** Tokens for senders and programs: what each may do, when it was last used, and a way to end it. */
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { TokenRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { TokenForm } from './token-form.tsx'
import { TokenTable } from './token-table.tsx'
import { type MadeToken, useRevokeToken, useTokens } from './tokens.ts'

export function Page() {
  const tokens = useTokens()
  const mayChange = useMay('admin')
  const [query, changeQuery] = useQueryTexts()
  const [made, setMade] = useState<MadeToken | null>(null)
  const [ending, setEnding] = useState<TokenRecord | null>(null)
  const setCreating = (isOn: boolean): void => changeQuery({ new: isOn ? 'token' : '' }, { replace: true })
  const create = mayChange && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Tokens"
        description={
          mayChange
            ? 'Access for senders and programs. People log in instead.'
            : 'Access for senders and programs. Making and revoking tokens needs the role admin.'
        }
        actions={tokens.data && tokens.data.length > 0 && create}
      />
      <div className="px-4 pb-8 wide:px-6">
        {tokens.isPending && (
          <Card>
            <Loading label="Loading tokens" />
          </Card>
        )}
        {tokens.isError && !tokens.data && <ErrorState error={tokens.error} onRetry={() => tokens.refetch()} />}
        {tokens.data?.length === 0 && (
          <EmptyState icon={KeyRound} title="No tokens" action={create}>
            A token lets a program send events, ask endpoints or manage this service.
          </EmptyState>
        )}
        {tokens.data && tokens.data.length > 0 && (
          <Card>
            <TokenTable
              tokens={tokens.data}
              nowMs={tokens.dataUpdatedAt}
              {...(mayChange ? { onRevoke: setEnding } : {})}
            />
          </Card>
        )}
      </div>
      <Dialog
        isOpen={query.new === 'token' && mayChange && made === null}
        onClose={() => setCreating(false)}
        title="New token"
        description="Give each program its own, with no more than it needs."
      >
        <TokenForm
          onCancel={() => setCreating(false)}
          onMade={(token) => {
            setMade(token)
            setCreating(false)
          }}
        />
      </Dialog>
      {made && <Made token={made} onClose={() => setMade(null)} />}
      {ending && <Revoke token={ending} onClose={() => setEnding(null)} />}
    </>
  )
}

function Made({ token, onClose }: { token: MadeToken; onClose(): void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Copy the token now"
      description="It is shown this once. Only a fingerprint of it is kept, so it cannot be shown again."
      footer={
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <CodeBlock code={token.token} label="token" isWrapped />
      <p className="mt-3 text-small text-faint">
        Programs send it in the header <code className="font-mono">Authorization: Bearer</code> or{' '}
        <code className="font-mono">X-API-KEY</code>.
      </p>
    </Dialog>
  )
}

function Revoke({ token, onClose }: { token: TokenRecord; onClose(): void }) {
  const revoke = useRevokeToken()
  const say = useToast()
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${token.description || `token ${token.id}`}?`}
      action="Revoke token"
      isBusy={revoke.isPending}
      error={revoke.isError ? sentenceOfError(revoke.error) : null}
      onConfirm={() =>
        revoke.mutate(token.id, {
          onSuccess() {
            say('The token is revoked.')
            onClose()
          },
        })
      }
    >
      Programs that use it are refused at once. It cannot be brought back; make a new token instead.
    </ConfirmDialog>
  )
}
