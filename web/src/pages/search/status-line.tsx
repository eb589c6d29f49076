/** What was found and how long it took, the live tail with its controls, and how rows are shown. */
import { ListTree, Pause, Play, Radio, WrapText } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TailState } from '../../api/tail.ts'
import { Badge } from '../../design/badge.tsx'
import { Button, IconButton } from '../../design/button.tsx'
import { exactCount } from '../../design/numbers.ts'

type Props = {
  found: ReactNode
  isLive: boolean
  isPaused: boolean
  tail: { state: TailState; held: number; missed: number; lost: readonly string[]; startAgain(): void }
  isWrapped: boolean
  onLive(isLive: boolean): void
  onPaused(isPaused: boolean): void
  onWrapped(isWrapped: boolean): void
  /** On small screens the fields open over the list. */
  onFields(): void
}

export function StatusLine({ found, isLive, isPaused, tail, isWrapped, onLive, onPaused, onWrapped, onFields }: Props) {
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-surface px-4 py-1 wide:px-6">
      <span role="status" className="flex min-w-0 grow flex-wrap items-center gap-x-2 text-small text-soft">
        {found}
      </span>
      {isLive && (
        <span className="flex items-center gap-2 text-small text-soft">
          <TailBadge state={tail.state} isPaused={isPaused} />
          {tail.held > 0 && <span className="tabular-nums">{exactCount(tail.held)} waiting</span>}
          {tail.missed > 0 && (
            <span className="text-warn tabular-nums" title="A search finds them.">
              {exactCount(tail.missed)} missed
            </span>
          )}
          {tail.lost.length > 0 && (
            <span className="text-warn" title={`Their events come when they answer: ${tail.lost.join(', ')}`}>
              {tail.lost.length === 1 ? '1 node' : `${tail.lost.length} nodes`} away
            </span>
          )}
          {tail.state === 'broken' && (
            <Button size="small" onClick={tail.startAgain}>
              Start again
            </Button>
          )}
        </span>
      )}
      <span className="flex items-center gap-1">
        {isLive && (
          <Button size="small" icon={isPaused ? Play : Pause} onClick={() => onPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
        )}
        <Button
          size="small"
          kind={isLive ? 'primary' : 'secondary'}
          icon={Radio}
          aria-pressed={isLive}
          onClick={() => onLive(!isLive)}
        >
          {isLive ? 'Stop live tail' : 'Live tail'}
        </Button>
        <IconButton
          icon={WrapText}
          size="small"
          label={isWrapped ? 'One line for each event' : 'Wrap long messages'}
          isPressed={isWrapped}
          onClick={() => onWrapped(!isWrapped)}
        />
        <Button size="small" icon={ListTree} className="wide:hidden" onClick={onFields}>
          Fields
        </Button>
      </span>
    </div>
  )
}

function TailBadge({ state, isPaused }: { state: TailState; isPaused: boolean }) {
  if (state === 'broken') return <Badge tone="danger">stream ended</Badge>
  if (state === 'connecting') return <Badge tone="warn">connecting</Badge>
  return isPaused ? <Badge>paused</Badge> : <Badge tone="good">live</Badge>
}
