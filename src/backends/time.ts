/** Microseconds since 1970 as ISO 8601 in UTC, with all six digits. */
export function isoMicroseconds(us: number): string {
  const ms = Math.floor(us / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z`
}
