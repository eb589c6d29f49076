import { Fault } from '../../base/faults.ts'
import { asFault } from '../intake.ts'
import { skipSpace } from '../json/bytes.ts'
import { JsonReader, NameCache, TooDeep } from '../json/read.ts'
import { BrokenJson, skipValue } from '../json/skip.ts'
import { MAX_DEPTH } from '../limits.ts'

/** Looks into a body before it is taken; one that is no JSON, or too deep where it is looked at, is a fault. */
export function parsedWhole(body: Buffer, look: (reader: JsonReader) => void): void {
  if (skipSpace(body, 0) === body.length) return
  try {
    const end = skipSpace(body, skipValue(body, 0))
    if (end < body.length) throw new BrokenJson(body, end)
    look(new JsonReader(body, MAX_DEPTH, new NameCache(64)))
  } catch (error) {
    if (error instanceof TooDeep) throw new Fault('bad_request', `The body is deeper than ${MAX_DEPTH} levels.`)
    throw asFault(error)
  }
}
