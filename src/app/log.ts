/** The service's own log: one JSON object a line, to standard error. Levels and times are written as people read them. */
import { type Logger, pino } from 'pino'

export type Lines = { write(line: string): void }

/** Nothing of the kind is logged on purpose; this is for errors of packages that carry more than they should. */
const SECRETS = ['password', 'authorization', 'cookie', 'secret', 'api_key', 'apiKey']

/** `to` is standard error unless given. */
export function createLog({ level, alsoTo = null, to }: { level: string; alsoTo?: Lines | null; to?: Lines }): Logger {
  const first = to ?? pino.destination({ dest: 2, sync: true })
  const both: Lines = {
    write(line) {
      first.write(line)
      alsoTo?.write(line)
    },
  }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: 'REDACTED' },
    },
    alsoTo ? both : first,
  )
}
