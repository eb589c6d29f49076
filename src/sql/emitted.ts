import type { ValueType } from './value-types.ts'

/** Engine SQL of a value, with what is known of its type. */
export type Emitted = {
  sql: string
  type: ValueType
  /** Set when the value is the timestamp of that source reference, unchanged. */
  timestampOf?: number
  /** Set when the value is this field of that source reference, unchanged. */
  fieldOf?: { source: number; path: string }
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
