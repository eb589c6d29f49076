import type { AlertRecord } from '../../api/records.ts'
import { Badge, type Tone } from '../../design/badge.tsx'

const TONES: Record<AlertRecord['state'], Tone> = {
  waiting: 'plain',
  ok: 'good',
  firing: 'danger',
  failing: 'warn',
  muted: 'accent',
}

export function StateBadge({ alert: { state, enabled } }: { alert: Pick<AlertRecord, 'state' | 'enabled'> }) {
  return enabled ? <Badge tone={TONES[state]}>{state}</Badge> : <Badge>off</Badge>
}
