/** A number of 16 digits is a time in microseconds, and is shown as one. */
export function dateOf(value: unknown): string | null {
  if (typeof value !== 'number' || !/^\d{16}$/.test(String(value))) return null
  return new Date(value / 1000).toISOString()
}
