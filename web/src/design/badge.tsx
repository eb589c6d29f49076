import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'danger'

const TONES: Record<Tone, string> = {
  plain: 'bg-sunken text-soft',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
}
const BADGE = 'inline-flex h-[18px] items-center rounded-small px-1.5 text-tiny font-medium whitespace-nowrap'

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classes(BADGE, TONES[tone])}>{children}</span>
}

export type Level = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical'

const LEVELS: Record<Level, string> = {
  debug: 'bg-level-debug-soft text-level-debug',
  info: 'bg-level-info-soft text-level-info',
  notice: 'bg-level-notice-soft text-level-notice',
  warning: 'bg-level-warning-soft text-level-warning',
  error: 'bg-level-error-soft text-level-error',
  critical: 'bg-level-critical-soft text-level-critical',
}

const LEVEL_NAMES = new Map<string, Level>([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['information', 'info'],
  ['notice', 'notice'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['err', 'error'],
  ['error', 'error'],
  ['fatal', 'critical'],
  ['critical', 'critical'],
  ['alert', 'critical'],
  ['emergency', 'critical'],
])

/** The level a sender meant, whatever it called it; null when it is no level we know. */
export const levelOf = (name: unknown): Level | null =>
  typeof name === 'string' ? (LEVEL_NAMES.get(name.toLowerCase()) ?? null) : null

export function LevelBadge({ level }: { level: string }) {
  const known = levelOf(level)
  return <span className={classes(BADGE, 'font-mono', known ? LEVELS[known] : TONES.plain)}>{level.toLowerCase()}</span>
}
