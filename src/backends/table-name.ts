/** The table of a source: by its token, so that names may hold anything and change. */
export const tableName = (token: string): string => `log_events_${token.replaceAll('-', '_')}`

const TABLE = /log_events_([0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})(?:_\d{8})?/g

/** Puts the names of sources where an engine speaks of their tables. */
export const withSourceNames = (text: string, nameOf: (token: string) => string | undefined): string =>
  text.replace(TABLE, (table, token: string) => nameOf(token.replaceAll('_', '-')) ?? table)
