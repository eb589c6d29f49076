/** One alert: how it stands, what became of its runs, its settings, a run by hand, and silence for a while. */
import { useNavigate } from '@tanstack/react-router'
import { BellOff, ChevronDown, Database, EllipsisVertical, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useAlert, useDeleteAlert, useRunAlert, useSaveAlert } from '../../api/alerts.ts'
import type { AlertRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Menu, type MenuItem } from '../../design/menu.tsx'
import { ago } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { useToast } from '../../design/toast.tsx'
import { useParam, useQueryTexts, useTitle } from '../../shell/address.ts'
import { placesText } from '../alerts/alert-table.tsx'
import { scheduleText } from '../alerts/schedule.ts'
import { StateBadge } from '../alerts/state-badge.tsx'
import { AlertForm } from './alert-form.tsx'
import { RanPanel } from './ran.tsx'
import { Runs } from './runs.tsx'

const HOUR_MS = 3_600_000
const SILENCES: [label: string, ms: number][] = [
  ['For an hour', HOUR_MS],
  ['For 8 hours', 8 * HOUR_MS],
  ['For a day', 24 * HOUR_MS],
  ['For a week', 7 * 24 * HOUR_MS],
]

export function Page() {
  const token = useParam('token')
  const alert = useAlert(token)
  useTitle(alert.data?.name ?? 'Alert')
  if (alert.isPending) return <Loading label="Loading the alert" />
  if (alert.isError)
    return <ErrorState error={alert.error} onRetry={() => alert.refetch()} isRetrying={alert.isFetching} />
  return <Shown key={token} alert={alert.data} />
}

function Shown({ alert }: { alert: AlertRecord }) {
  const { token, name } = alert
  const navigate = useNavigate()
  const say = useToast()
  const mayChange = useMay('member')
  const [query, changeQuery] = useQueryTexts()
  const [isDeleting, setDeleting] = useState(false)
  const remove = useDeleteAlert()
  const save = useSaveAlert(token)
  const run = useRunAlert(token)

  const onRun = (notify: boolean): void => {
    changeQuery({ tab: 'run' }, { replace: true })
    run.mutate({ notify })
  }
  const mute = (until: string | null): void =>
    save.mutate(
      { muted_until: until },
      {
        onSuccess: () => say(until === null ? 'It tells again.' : `Nobody is told until ${clock(until)}.`),
        onError: (error) => say(sentenceOfError(error), 'bad'),
      },
    )
  const silences: MenuItem[] = [
    ...SILENCES.map(([label, ms]) => ({ label, onChoose: () => mute(new Date(Date.now() + ms).toISOString()) })),
    ...(alert.state === 'muted' ? (['line', { label: 'Tell again', onChoose: () => mute(null) }] as const) : []),
  ]
  return (
    <>
      <PageHeader
        title={name}
        description={<Standing alert={alert} />}
        actions={
          <>
            {mayChange && (
              <>
                <Menu trigger={<Button icon={BellOff}>Mute</Button>} items={silences} />
                <span className="flex">
                  <Button
                    kind="primary"
                    icon={Play}
                    isBusy={run.isPending}
                    onClick={() => onRun(false)}
                    className="rounded-r-none"
                  >
                    Run now
                  </Button>
                  <Menu
                    trigger={
                      <Button
                        kind="primary"
                        aria-label="Ways to run"
                        className="rounded-l-none border-l-page/30 px-1.5"
                      >
                        <ChevronDown size={14} aria-hidden />
                      </Button>
                    }
                    items={[
                      { label: 'Run, and tell nobody', onChoose: () => onRun(false) },
                      { label: `Run, and tell ${placesText(alert)} if it fires`, onChoose: () => onRun(true) },
                    ]}
                  />
                </span>
              </>
            )}
            <Menu
              trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
              items={[
                {
                  label: 'Open in SQL',
                  icon: Database,
                  isDisabled: alert.language === 'lql',
                  onChoose: () =>
                    navigate({
                      to: '/query',
                      search: { sql: alert.query, engine: String(alert.backend_id ?? '') } as never,
                    }),
                },
                'line',
                {
                  label: 'Delete alert',
                  icon: Trash2,
                  isDanger: true,
                  isDisabled: !mayChange,
                  onChoose: () => setDeleting(true),
                },
              ]}
            />
          </>
        }
      />
      <div className="px-4 pb-8 wide:px-6">
        <Tabs
          label="About this alert"
          tabs={[
            { id: 'history', label: 'History', content: <Runs token={token} /> },
            {
              id: 'settings',
              label: 'Settings',
              content: (
                // Saved settings begin a new form; a run that changes only the state does not.
                <AlertForm key={alert.updated_at} alert={alert} isReadOnly={!mayChange} onSaved={() => say('Saved.')} />
              ),
            },
            {
              id: 'run',
              label: 'What it finds',
              content: <RanPanel ran={run.data} error={run.error} isRunning={run.isPending} />,
            },
          ]}
          open={query.tab ?? 'history'}
          onOpen={(tab) => changeQuery({ tab: tab === 'history' ? '' : tab }, { replace: true })}
        />
      </div>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        action="Delete alert"
        isBusy={remove.isPending}
        error={remove.isError ? sentenceOfError(remove.error) : null}
        onConfirm={() => remove.mutate(token, { onSuccess: () => navigate({ to: '/alerts' }) })}
      >
        It does not run any more, and its history is gone.
      </ConfirmDialog>
    </>
  )
}

/** In one line: the state, the schedule, the next run, whom it tells, and what is wrong. */
function Standing({ alert }: { alert: AlertRecord }) {
  const { cron, timezone, next_run_at, muted_until, last_error, state, description } = alert
  const facts = [
    `${scheduleText(cron)}${timezone === 'UTC' ? '' : `, ${timezone}`}`,
    next_run_at !== null && `next ${ago(next_run_at, Date.now())}`,
    `tells ${placesText(alert)}`,
    state === 'muted' && muted_until !== null && `muted until ${clock(muted_until)}`,
  ].filter(Boolean)
  return (
    <span className="flex flex-col gap-1">
      {description}
      <span className="flex flex-wrap items-center gap-2">
        <StateBadge alert={alert} />
        {facts.join(' · ')}
      </span>
      {last_error !== null && <span className="text-danger">{last_error}</span>}
    </span>
  )
}

const clock = (at: string): string => new Date(at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
