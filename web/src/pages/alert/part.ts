import type { FieldErrors } from '../../api/request.ts'
import type { Draft } from './draft.ts'

/** What each part of the form is handed. */
export type PartProps = {
  draft: Draft
  change(changes: Partial<Draft>): void
  errors: FieldErrors
  isReadOnly: boolean
}
