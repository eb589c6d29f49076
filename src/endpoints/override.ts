import { Fault } from '../base/faults.ts'

/** A query of the caller's own, over the WITH queries of an endpoint. */
export type Override = { language: 'sql' | 'lql'; text: string }

/** `sql` wins over `lql`; an empty one is none. Refused unless today's endpoint allows it, whatever version is asked. */
export function overrideOf(
  { sandboxable }: { sandboxable: boolean },
  { sql, lql }: { sql: unknown; lql: unknown },
): Override | null {
  const override = textOf('sql', sql) ?? textOf('lql', lql)
  if (override && !sandboxable)
    throw new Fault('bad_request', `This endpoint takes no ${override.language}: its sandboxing is off.`)
  return override
}

function textOf(language: Override['language'], value: unknown): Override | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (first === undefined || first === null || first === '') return null
  if (typeof first !== 'string') throw new Fault('bad_request', `${language} must be a text.`)
  return { language, text: first }
}
