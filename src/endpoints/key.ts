/**
 * What a kept answer is the answer to: the endpoint as it is defined now, the version asked for, and everything the
 * request carried by name, in any order. Tokens are not part of it: they open the door, they do not change the rows.
 */
import type { Call } from './call.ts'

export function cacheKey({ endpoint, version, values, sql, lql }: Call): string {
  const head = `${endpoint.id} ${endpoint.version} ${version ?? endpoint.version}`
  const names = Object.keys(values)
  if (names.length === 0 && !sql && !lql) return head
  names.sort()
  return `${head} ${JSON.stringify([sql ?? null, lql ?? null, ...names.flatMap((name) => [name, values[name]])])}`
}
