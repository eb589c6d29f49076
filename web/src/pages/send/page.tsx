/** How to send to one source, with examples that are ready to run. */
import { useState } from 'react'
import { useSource } from '../../api/sources.ts'
import { Card } from '../../design/card.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useParam } from '../../shell/address.ts'
import { SendPanel } from './panel.tsx'

export function Page() {
  const source = useSource(useParam('token'))
  const [ingestToken, setIngestToken] = useState<string | null>(null)
  if (source.isPending) return <Loading />
  if (source.isError) return <ErrorState error={source.error} onRetry={() => source.refetch()} />
  return (
    <>
      <PageHeader
        title={`Send events to ${source.data.name}`}
        description="Any of these will do. The examples are ready to run."
      />
      <div className="max-w-4xl px-4 pb-8 wide:px-6">
        <Card className="p-4">
          <SendPanel source={source.data} ingestToken={ingestToken} onToken={setIngestToken} />
        </Card>
      </div>
    </>
  )
}
