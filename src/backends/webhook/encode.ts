import { printEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'

/** A JSON array of events as they are stored. */
export const encode = ({ events }: Pick<Batch, 'events'>): string => `[${events.map(printEvent).join(',')}]`
