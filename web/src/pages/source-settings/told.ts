/** What a source tells about itself, and whom, with the defaults of what was never set. */
/** An empty input is no number (NaN) until something is typed; the service then says that it is missing. */
export type Pattern = { name: string; lql: string; threshold: number; window_minutes: number }

export type Notifications = {
  emails: string[]
  webhook_url: string | null
  slack_hook_url: string | null
  schema_changes: boolean
  errors: boolean
  patterns: Pattern[]
  /** Least minutes from one message to the next of the same kind. */
  every_minutes: number
}

export const PATTERNS_MAX = 10

const DEFAULTS: Notifications = {
  emails: [],
  webhook_url: null,
  slack_hook_url: null,
  schema_changes: false,
  errors: false,
  patterns: [],
  every_minutes: 10,
}

/** Fields that this page does not know are kept as they are. */
export const withDefaults = (stored: Partial<Notifications> | null): Notifications => ({ ...DEFAULTS, ...stored })

export const readNumber = (text: string): number => (text === '' ? Number.NaN : Number(text))
export const printNumber = (value: number): string => (Number.isNaN(value) ? '' : String(value))

/** A name that none of the patterns has. */
export function freeName(patterns: readonly Pattern[]): string {
  for (let n = patterns.length + 1; ; n++) {
    const name = `pattern ${n}`
    if (patterns.every((pattern) => pattern.name !== name)) return name
  }
}

export const isTold = ({ emails, webhook_url, slack_hook_url }: Notifications): boolean =>
  emails.length > 0 || Boolean(webhook_url) || Boolean(slack_hook_url)

export const isTelling = ({ schema_changes, errors, patterns }: Notifications): boolean =>
  schema_changes || errors || patterns.length > 0
