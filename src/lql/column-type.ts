import type { ScalarType } from '../model/fields.ts'

/** What a clause can be asked of: a field's type, or the time of the event. */
export type ColumnType = ScalarType | 'timestamp'
