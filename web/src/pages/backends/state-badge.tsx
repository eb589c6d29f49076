import type { BackendStatus } from '../../api/records.ts'
import { Badge, type Tone } from '../../design/badge.tsx'

const LOOKS: Record<BackendStatus['state'], { tone: Tone; text: string }> = {
  ok: { tone: 'good', text: 'ok' },
  retrying: { tone: 'warn', text: 'retrying' },
  stopped: { tone: 'danger', text: 'stopped' },
}

/** `isIdle`: no source sends to it, so nothing is tried and nothing is known. */
export function StateBadge({ state, isIdle = false }: { state: BackendStatus['state']; isIdle?: boolean }) {
  if (isIdle) return <Badge>not used</Badge>
  return <Badge tone={LOOKS[state].tone}>{LOOKS[state].text}</Badge>
}
