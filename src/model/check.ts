import type { z } from 'zod'
import { Fault, InvalidRecord } from '../base/faults.ts'

/**
 * Turns what a caller sent into a record, or says field by field what is wrong with it.
 * A schema may give its own words; these are the words for everything else.
 */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { error: words })
  if (result.success) return result.data
  const errors: Record<string, string[]> = Object.create(null)
  for (const { field, text } of result.error.issues.flatMap(problems)) {
    if (field === '') throw new Fault('bad_request', `The body ${text}`)
    errors[field] = [...(errors[field] ?? []), text]
  }
  throw new InvalidRecord(errors)
}

function words(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be at least ${issue.minimum}`
      return "can't be blank"
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be at most ${issue.maximum}`
      return `is longer than ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'items'}`
    default:
      return issue.input === undefined || issue.input === null ? "can't be blank" : 'is invalid'
  }
}

function problems(issue: z.core.$ZodIssue): { field: string; text: string }[] {
  const at = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...at, key].join('.'), text: 'is not a known field' }))
  }
  return [{ field: at.join('.'), text: issue.message }]
}
