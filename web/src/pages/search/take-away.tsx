/** A search to go on with elsewhere: as a link, as a file, in SQL, as an endpoint or as an alert. */
import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  Braces,
  Database,
  Download,
  EllipsisVertical,
  FileJson,
  FileSpreadsheet,
  Link2,
  Table2,
} from 'lucide-react'
import { useState } from 'react'
import { useApi, useSession } from '../../api/client.tsx'
import { problemOf, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Menu } from '../../design/menu.tsx'
import { useToast } from '../../design/toast.tsx'
import type { Search } from './address.ts'
import { askedWith } from './results.ts'

type Format = 'csv' | 'ndjson' | 'parquet'

export function TakeAway({ search, name }: { search: Search; name: string }) {
  const api = useApi()
  const say = useToast()
  const navigate = useNavigate()
  const session = useSession()
  const mayPublish = session.data?.user.role !== 'viewer'
  const [isBusy, setBusy] = useState(false)

  const busily = (work: () => Promise<void>) => async (): Promise<void> => {
    setBusy(true)
    await work().catch((error: unknown) => say(sentenceOfError(error), 'bad'))
    setBusy(false)
  }
  const save = (format: Format) =>
    busily(async () => {
      const { file, isTruncated } = await exported(search, format)
      download(file, `${name}.${format}`)
      say(isTruncated ? 'The newest 10,000 events were saved; there are more. Narrow the time to get those.' : 'Saved.')
    })
  const open = (to: string, parameter: string, part: 'events' | 'chart') =>
    busily(async () => {
      const sql = await api.get<{ events: string; chart: string }>(
        `/api/sources/${search.token}/search/sql?${askedWith(search)}`,
      )
      const text = part === 'events' ? `${sql.events}\nLIMIT 100` : sql.chart
      await navigate({ to, search: { [parameter]: text } as never })
    })

  return (
    <>
      <Menu
        trigger={
          <Button icon={Download} isBusy={isBusy}>
            Export
          </Button>
        }
        items={[
          { heading: 'The newest 10,000 events' },
          { label: 'CSV', icon: FileSpreadsheet, onChoose: save('csv') },
          { label: 'NDJSON', icon: FileJson, onChoose: save('ndjson') },
          { label: 'Parquet', icon: Table2, onChoose: save('parquet') },
        ]}
      />
      <Menu
        trigger={<Button icon={EllipsisVertical}>More</Button>}
        items={[
          {
            label: 'Copy link to this search',
            icon: Link2,
            onChoose: async () => {
              await navigator.clipboard.writeText(location.href)
              say('The link was copied.')
            },
          },
          'line',
          { label: 'Open as SQL', icon: Database, onChoose: open('/query', 'sql', 'events') },
          { label: 'Open the chart as SQL', icon: Database, onChoose: open('/query', 'sql', 'chart') },
          {
            label: mayPublish ? 'New endpoint from this search' : 'New endpoint (needs the role member)',
            icon: Braces,
            onChoose: open('/endpoints/new', 'query', 'events'),
            isDisabled: !mayPublish,
          },
          {
            label: mayPublish ? 'New alert from this search' : 'New alert (needs the role member)',
            icon: Bell,
            onChoose: open('/alerts/new', 'query', 'events'),
            isDisabled: !mayPublish,
          },
        ]}
      />
    </>
  )
}

/** Fetched rather than linked to, so that a refusal is a sentence on the page and not a file with an error in it. */
async function exported(search: Search, format: Format): Promise<{ file: Blob; isTruncated: boolean }> {
  const asked = askedWith(search)
  asked.set('format', format)
  const answer = await fetch(`/api/sources/${search.token}/search/export?${asked}`)
  if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => undefined))
  return { file: await answer.blob(), isTruncated: answer.headers.get('x-truncated') === 'true' }
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
