/** An event as one line for people: time, level, message, then what else it holds. */
import { recordOf } from './api.ts'
import type { Paint } from './paint.ts'
import { clean } from './print.ts'

const STYLES: [RegExp, Parameters<Paint>[0]][] = [
  [/^(fatal|emerg|alert|crit|panic)/i, ['bold', 'red']],
  [/^err/i, 'red'],
  [/^warn/i, 'yellow'],
  [/^(info|notice)/i, 'green'],
  [/^(debug|trace|verbose)/i, 'gray'],
]

export function eventLine(event: Record<string, unknown>, paint: Paint): string {
  const { id: _, timestamp, event_message, ...rest } = event
  const level = levelOf(event)
  const style = STYLES.find(([words]) => words.test(level))?.[1] ?? 'cyan'
  const others = Object.keys(rest).length > 0 ? ` ${paint('gray', clean(JSON.stringify(rest)))}` : ''
  const message = typeof event_message === 'string' ? clean(event_message) : ''
  return `${paint('gray', timeText(timestamp))} ${paint(style, clean(level).toUpperCase().padEnd(5))} ${message}${others}`
}

/** Where senders usually put it. */
function levelOf(event: Record<string, unknown>): string {
  const metadata = recordOf(event.metadata)
  const given = [metadata.level, event.level, event.severity_text, metadata.severity, event.severity]
  return String(given.find((value) => typeof value === 'string' && value !== '') ?? '')
}

function timeText(us: unknown): string {
  if (typeof us !== 'number') return ' '.repeat(24)
  return new Date(us / 1000).toISOString()
}
