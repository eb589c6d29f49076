/** Everything that can be set of one source, in tabs that have their own addresses. */
import { Link } from '@tanstack/react-router'
import { Eye, Search } from 'lucide-react'
import { useState } from 'react'
import type { SourceRecord } from '../../api/records.ts'
import { useMay } from '../../api/role.ts'
import { useSource } from '../../api/sources.ts'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { useToast } from '../../design/toast.tsx'
import { useParam, useQueryTexts, useTitle } from '../../shell/address.ts'
import { SendPanel } from '../send/panel.tsx'
import { Backends } from './backends.tsx'
import { Danger } from './danger.tsx'
import { useDraft } from './draft.ts'
import { General } from './general.tsx'
import { Notifications } from './notifications.tsx'
import { Pipeline } from './pipeline.tsx'
import { RejectedEvents } from './rejected.tsx'
import { Rules } from './rules.tsx'
import { SaveBar } from './save-bar.tsx'

export function Page() {
  const token = useParam('token')
  const source = useSource(token)
  if (source.isPending) return <Loading />
  if (!source.data) return <ErrorState error={source.error} onRetry={() => source.refetch()} />
  return <SourceSettings key={token} source={source.data} />
}

function SourceSettings({ source }: { source: SourceRecord }) {
  useTitle(`${source.name} settings`)
  const [{ tab = 'general' }, changeQuery] = useQueryTexts()
  const say = useToast()
  const draft = useDraft(source, () => say('Saved.'))
  const mayChange = useMay('member')
  const tabs = [
    { id: 'general', label: 'General', content: <General draft={draft} /> },
    { id: 'pipeline', label: 'Pipeline', content: <Pipeline draft={draft} /> },
    { id: 'routing', label: 'Routing', content: <Rules source={source} /> },
    { id: 'backends', label: 'Backends', count: source.backends.length, content: <Backends source={source} /> },
    { id: 'notifications', label: 'Notifications', content: <Notifications draft={draft} /> },
    { id: 'rejected', label: 'Rejected', content: <RejectedEvents source={source} /> },
    { id: 'send', label: 'How to send', content: <HowToSend source={source} /> },
    { id: 'danger', label: 'Danger zone', content: <Danger source={source} mayChange={mayChange} /> },
  ]
  return (
    <>
      <PageHeader
        title={source.name}
        description={source.description ?? 'Settings of this source'}
        actions={
          <Link to={`/sources/${source.token}`} className={buttonClasses('secondary')}>
            <Search size={14} aria-hidden /> Events
          </Link>
        }
      />
      <div className="min-w-0 px-4 pb-8 wide:px-6">
        {!mayChange && (
          <p className="mb-3 flex items-center gap-2 rounded-base bg-sunken px-3 py-2 text-soft">
            <Eye size={14} className="shrink-0" aria-hidden />
            You can look at everything here. Changing it needs the role member, which an admin can give you.
          </p>
        )}
        <Tabs
          label="Settings"
          tabs={tabs}
          open={tabs.some(({ id }) => id === tab) ? tab : 'general'}
          onOpen={(id) => changeQuery({ tab: id === 'general' ? '' : id }, { replace: true })}
        />
      </div>
      <SaveBar draft={draft} />
    </>
  )
}

function HowToSend({ source }: { source: SourceRecord }) {
  const [ingestToken, setIngestToken] = useState<string | null>(null)
  return (
    <Card className="max-w-4xl p-4">
      <SendPanel source={source} ingestToken={ingestToken} onToken={setIngestToken} />
    </Card>
  )
}
