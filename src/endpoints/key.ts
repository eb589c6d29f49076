/**
 * What a kept answer is the answer to: the endpoint as it is defined now, the version asked for, and everything the
 * request carried by name, in any order. Tokens are not part of it: they open the door, they do not change the rows.
 */
import type { Call } from './call.ts'

export function cacheKey({ endpoint, version, values, sql, lql }: Call): string {
  const head = `${endpoint.id} ${endpoint.version} ${version ?? endpoint.version}`
  const names = Object.keys(values)
  if (names.length > 1) names.sort()
  // An empty query of the caller's is none.
  let key = `${head}${part('', sql || undefined)}${part('', lql || undefined)}`
  for (const name of names) key += part(name, values[name])
  return key
}

/** Lengths stand before what they measure, so that no two requests can write the same key. */
function part(name: string, value: unknown): string {
  if (value === undefined) return ` ${name.length}|${name}-`
  if (typeof value === 'string') return ` ${name.length}|${name}:${value.length}:${value}`
  const json = JSON.stringify(value)
  return ` ${name.length}|${name}=${json.length}:${json}`
}
