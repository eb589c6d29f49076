import { PlugZap } from 'lucide-react'
import { type Connection, useTestConnection } from '../../api/backends.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'

const SENTENCES: Record<string, string> = {
  http_client_error: 'The receiver is there and refuses the request: check address and credentials.',
  http_server_error: 'The receiver is there and failed.',
  unknown_error: 'The receiver cannot be reached.',
}

/** Asks the receiver without sending it an event. */
export function ConnectionTest({ token }: { token: string }) {
  const test = useTestConnection(token)
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span role="status" className="min-w-0">
        {test.isError && <Badge tone="danger">{sentenceOfError(test.error)}</Badge>}
        {test.data?.['connected?'] && <Badge tone="good">connected</Badge>}
        {test.data && !test.data['connected?'] && (
          <span className="block text-small text-danger [overflow-wrap:anywhere]">{sentenceOf(test.data)}</span>
        )}
      </span>
      <Button size="small" icon={PlugZap} isBusy={test.isPending} onClick={() => test.mutate()}>
        Test connection
      </Button>
    </span>
  )
}

const sentenceOf = ({ reason = 'unknown_error', message }: Connection): string =>
  message ?? SENTENCES[reason] ?? `The receiver cannot be used: ${reason.replaceAll('_', ' ')}.`
