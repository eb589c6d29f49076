import { readAccessor } from '../../model/rules/accessor.ts'
import { parseEnrichRules } from '../../model/rules/enrich.ts'
import { fromPlain, type JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { clean } from './clean.ts'
import type { Naming } from './keys.ts'
import { setAt, valueAt } from './paths.ts'
import type { Lookup, Step } from './step.ts'

/** Writes what is stored under a field's value. Stored values follow the same cleaning and key rules as sent ones. */
export function createEnrich(rules: string, naming: Naming): Step | null {
  const lookups = parseEnrichRules(rules)
  if (lookups.length === 0) return null
  return function enrich(event: JsonObject, lookup: Lookup): void {
    for (const rule of lookups) {
      const key = keyText(valueAt(event, rule.lookup))
      const entry = key === undefined ? undefined : lookup(key)
      if (entry === undefined) continue
      const found = rule.accessor ? readAccessor(rule.accessor, entry) : entry
      const value = found === undefined ? undefined : clean(fromPlain(found))
      if (value !== undefined) setAt(event, rule.to, naming.within(value))
    }
  }
}

/** Numbers and booleans are looked up by their text; objects and lists are no keys. */
function keyText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return value instanceof NumberText ? value.text : undefined
}
