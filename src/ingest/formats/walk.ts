/** Ways through a body of sound JSON, for formats whose events stand deeper than a list: positions, not values. */
import { asFault, type Intake } from '../intake.ts'
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, skipSpace } from '../json/bytes.ts'
import { readString } from '../json/read.ts'
import { skipName, skipValue } from '../json/skip.ts'

/** Throws the fault of a broken body; only then may it be walked. */
export async function assertSound(intake: Intake): Promise<void> {
  try {
    await intake.assertSound()
  } catch (error) {
    throw asFault(error)
  }
}

/** Where the elements of a list begin; none when it is no list. */
export function* elementsOf(body: Buffer, at: number): Generator<number> {
  const start = at < 0 ? at : skipSpace(body, at)
  if (start < 0 || body[start] !== OPEN_LIST) return
  let next = skipSpace(body, start + 1)
  while (body[next] !== CLOSE_LIST) {
    yield next
    next = skipSpace(body, skipValue(body, next))
    if (body[next] === COMMA) next = skipSpace(body, next + 1)
  }
}

/** Names and positions of the values of an object; none when it is no object. */
export function* fieldsOf(body: Buffer, at: number): Generator<{ name: string; at: number }> {
  const start = at < 0 ? at : skipSpace(body, at)
  if (start < 0 || body[start] !== OPEN_OBJECT) return
  let next = skipSpace(body, start + 1)
  while (body[next] !== CLOSE_OBJECT) {
    const value = skipSpace(body, skipName(body, next))
    // After the name come white space and the colon.
    const nameEnd = body.lastIndexOf('"', value - 1) + 1
    yield { name: readString(body, next, nameEnd), at: value }
    next = skipSpace(body, skipValue(body, value))
    if (body[next] === COMMA) next = skipSpace(body, next + 1)
  }
}

/** Where the value of a field begins, or -1. Of several names for one field the first that is there counts. */
export function fieldAt(body: Buffer, at: number, ...names: string[]): number {
  let found = -1
  let rank = names.length
  for (const field of fieldsOf(body, at)) {
    const index = names.indexOf(field.name)
    // What follows need not be walked through, and may be most of the body.
    if (index === 0) return field.at
    if (index < 0 || index >= rank) continue
    rank = index
    found = field.at
  }
  return found
}
