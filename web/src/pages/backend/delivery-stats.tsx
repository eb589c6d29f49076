import type { BackendStatus } from '../../api/records.ts'
import { count, exactCount, perSecond } from '../../design/numbers.ts'
import { Sparkline } from '../../design/sparkline.tsx'
import { Stats } from '../../design/stat.tsx'
import { ErrorState, Skeleton } from '../../design/states.tsx'
import { StateBadge } from '../backends/state-badge.tsx'
import { deliveryRates, useDeliveryHistory } from './history.ts'

const TREND = { width: 132, height: 26 }

export function DeliveryStats({
  status,
  error,
  at,
}: {
  status: BackendStatus | undefined
  error: unknown
  at: number
}) {
  const samples = useDeliveryHistory(status, at)
  if (!status && error) return <ErrorState error={error} />
  if (!status) return <Skeleton className="h-20 w-full" />
  const rates = deliveryRates(samples)
  return (
    <section aria-label="Delivery" className="flex flex-col gap-3">
      <Stats
        label="Delivery"
        stats={[
          { label: 'State', value: <StateBadge state={status.state} />, note: NOTES[status.state] },
          {
            label: 'Delivered',
            value: <span title={exactCount(status.delivered)}>{count(status.delivered)}</span>,
            note: (
              <>
                <Sparkline values={rates} label="Events per second that were delivered lately" {...TREND} />
                {perSecond(rates.at(-1) ?? 0)} · since the start
              </>
            ),
          },
          {
            label: 'Waiting',
            value: <span title={exactCount(status.lag_events)}>{count(status.lag_events)}</span>,
            note: (
              <>
                <Sparkline
                  values={samples.map(({ waiting }) => waiting)}
                  label="Events that waited lately"
                  {...TREND}
                />
                {status.lag_seconds > 0 ? `behind for ${status.lag_seconds} s` : 'nothing is late'}
              </>
            ),
            ...(status.lag_events > 0 && status.state !== 'ok' ? { tone: 'warn' as const } : {}),
          },
          { label: 'Failed tries', value: count(status.retried), note: 'tried again by themselves' },
          {
            label: 'Given up',
            value: count(status.dropped),
            note: 'too far behind for the space',
            ...(status.dropped > 0 ? { tone: 'danger' as const } : {}),
          },
          {
            label: 'Dead letters',
            value: count(status.dead_letters),
            note: 'refused by the receiver',
            ...(status.dead_letters > 0 ? { tone: 'danger' as const } : {}),
          },
        ]}
      />
      {status.last_error && (
        <p className="rounded-base border border-line bg-surface px-3 py-2 [overflow-wrap:anywhere]">
          <span className="text-faint">Last error:</span>{' '}
          <span className="font-mono text-small">{status.last_error}</span>
        </p>
      )}
    </section>
  )
}

const NOTES: Record<BackendStatus['state'], string> = {
  ok: 'the receiver takes events',
  retrying: 'the receiver is away; tried again',
  stopped: 'somebody has to change something',
}
