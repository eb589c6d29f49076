import type { StoredEvent } from '../../model/event-of-row.ts'

/** The numbers of OTLP's levels. */
const [TRACE, DEBUG, INFO, WARN, ERROR, FATAL] = [1, 5, 9, 13, 17, 21]

const OF_LEVEL: Record<string, number> = {
  trace: TRACE,
  debug: DEBUG,
  info: INFO,
  notice: INFO,
  warn: WARN,
  warning: WARN,
  error: ERROR,
  critical: FATAL,
  fatal: FATAL,
  panic: FATAL,
}

/** As PostgreSQL writes it into its log. */
const OF_ERROR_SEVERITY: Record<string, number> = {
  panic: FATAL,
  fatal: FATAL,
  error: ERROR,
  warning: WARN,
  notice: INFO,
  log: INFO,
  info: INFO,
  debug: DEBUG,
  debug1: DEBUG,
  debug2: DEBUG,
  debug3: DEBUG,
  debug4: DEBUG,
  debug5: DEBUG,
}

/** The level of an event, wherever it says it; 0 when it does not. */
export function severityOf({ severity_number, metadata }: StoredEvent): number {
  if (typeof severity_number === 'number' && Number.isInteger(severity_number) && severity_number >= 0)
    return severity_number
  return (
    known(OF_ERROR_SEVERITY, at(metadata, 'parsed', 'error_severity')) ||
    known(OF_LEVEL, at(metadata, 'level')) ||
    ofStatus(at(metadata, 'response', 'status_code'))
  )
}

function known(levels: Record<string, number>, word: unknown): number {
  const name = typeof word === 'string' ? word.toLowerCase() : ''
  return Object.hasOwn(levels, name) ? levels[name]! : 0
}

function ofStatus(status: unknown): number {
  if (typeof status !== 'number') return 0
  return status >= 500 ? ERROR : status >= 400 ? WARN : INFO
}

function at(value: unknown, ...names: string[]): unknown {
  let found = value
  for (const name of names)
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? Reflect.get(found, name) : undefined
  return found
}
