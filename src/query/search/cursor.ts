import { Fault } from '../../base/faults.ts'
import type { Cursor } from '../../warehouse/protocol.ts'

/**
 * A place between events as text: `<microseconds>:<id>` lies behind that event in the order of time and id,
 * `<microseconds>` at the start of that instant, `<microseconds>*2:<id>` behind the second event with this time and id.
 */
const CURSOR = /^(\d{1,16})(?:(?:\*(\d{1,6}))?:([\s\S]{1,1024}))?$/

export function readCursor(text: string): Cursor {
  const [, us, seen = '1', id] = CURSOR.exec(text) ?? []
  if (us === undefined)
    throw new Fault(
      'bad_request',
      'This is no place in a search: send `next` of an answer, or the timestamp of an event in microseconds, a colon and its id.',
    )
  return id === undefined ? { us: Number(us), id: '', seen: 0 } : { us: Number(us), id, seen: Number(seen) }
}

export const printCursor = ({ us, id, seen }: Cursor): string => `${us}${seen > 1 ? `*${seen}` : ''}:${id}`
