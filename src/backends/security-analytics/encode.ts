import { printEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'

/** One event a line: the feed's split delimiter is a newline. Lone surrogates would cost the whole request. */
export const encode = ({ events }: Pick<Batch, 'events'>): string =>
  events.map((event) => printEvent(event).toWellFormed()).join('\n')
