import type { Level } from '../../design/badge.tsx'

/** The stripe before a row. */
export const LEVEL_STRIPES: Record<Level, string> = {
  debug: 'bg-level-debug',
  info: 'bg-level-info',
  notice: 'bg-level-notice',
  warning: 'bg-level-warning',
  error: 'bg-level-error',
  critical: 'bg-level-critical',
}

/** The layers of the chart: levels, classes of status codes, and the rest. */
const COLORS: Record<string, string> = {
  debug: '--level-debug',
  info: '--level-info',
  notice: '--level-notice',
  warning: '--level-warning',
  error: '--level-error',
  critical: '--level-critical',
  alert: '--level-critical',
  emergency: '--level-critical',
  '1xx': '--level-debug',
  '2xx': '--level-notice',
  '3xx': '--level-info',
  '4xx': '--level-warning',
  '5xx': '--level-error',
}

export const colorOf = (key: string): string => COLORS[key] ?? '--line-strong'
