const SQLITE_UNIQUE = new Set([2067, 1555])
const POSTGRES_UNIQUE = '23505'

/**
 * When the error says that a value must be unique: the index and columns it names (`sources.account_id, sources.name`
 * or `sources_account_id_name`), else null. The two engines have nothing more in common here.
 */
export function uniqueViolation(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number' && SQLITE_UNIQUE.has(error.errcode)) {
    return error.message.replace(/^.*failed: /, '')
  }
  if ('code' in error && error.code === POSTGRES_UNIQUE) {
    return 'constraint' in error ? String(error.constraint) : ''
  }
  return null
}
