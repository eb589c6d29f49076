/** From what a query needs to the parts and times in which it can be. */
import type { Needles } from '../../../model/needles.ts'
import type { Part } from '../../manifest.ts'
import type { Window } from '../windows.ts'
import { type Filter, granulesOf, isSet, type Kind, MESSAGE, sectionOf } from './filter.ts'
import type { Filters } from './filters.ts'
import { marksOfPiece } from './trigrams.ts'
import { type Hash, hashProbe, marksOfHash } from './values.ts'

/** A granule may hold it when all marks of one of the alternatives are set. */
type Test = { kind: Kind; field: string; alternatives: number[][] }

/** Needles as marks, with the hash they were made by. */
export type Sought = { hash: string; tests: Test[] }

export async function soughtMarks({ contains, equals }: Needles, hash: Hash): Promise<Sought | null> {
  const tests: Test[] = contains
    .map(marksOfPiece)
    .filter((marks) => marks.length > 0)
    .map((marks) => ({ kind: 'trigrams', field: MESSAGE, alternatives: [marks] }))
  for (const { field, anyOf } of equals.slice(0, MOST_FIELDS)) {
    if (anyOf.length > MOST_ALTERNATIVES || !anyOf.every((text) => text.isWellFormed())) continue
    const alternatives = await Promise.all(anyOf.map(async (text) => marksOfHash(await hash(text))))
    tests.push({ kind: 'values', field, alternatives })
  }
  if (tests.length === 0) return null
  return { hash: tests.some(({ kind }) => kind === 'values') ? await hashProbe(hash) : '', tests }
}

/** Beyond these the marks of a granule say yes to nearly everything. */
const MOST_FIELDS = 8
const MOST_ALTERNATIVES = 64

/** More fields than these are not marked for a source, whatever is looked for. */
const MOST_WANTED = 8

/** Notes what is looked for, so that parts get marks for it. */
export function want(wanted: Set<string>, { tests }: Sought): void {
  for (const { field } of tests) if (wanted.size < MOST_WANTED) wanted.add(field)
}

/** The parts that may hold what is sought, and the times in which none of them does. */
export type Candidates = { parts: Part[]; gaps: Window[] }

/** Each gap is a condition that every row of the rest is asked, so only the longest are worth it. */
const MOST_GAPS = 64

export function candidatesFor(sourceDir: string, parts: Part[], sought: Sought, filters: Filters): Candidates {
  const chosen: Part[] = []
  const times: Window[] = []
  for (const part of parts) {
    const filter = filters.of(sourceDir, part)
    const found = filter ? timesIn(filter, sought) : [{ fromUs: part.minUs, toUs: part.maxUs }]
    if (found.length > 0) chosen.push(part)
    times.push(...found)
  }
  const whole = {
    fromUs: Math.min(...chosen.map(({ minUs }) => minUs)),
    toUs: Math.max(...chosen.map(({ maxUs }) => maxUs)),
  }
  return { parts: chosen, gaps: gapsBetween(times, whole) }
}

function timesIn(filter: Filter, { hash, tests }: Sought): Window[] {
  const asked = tests
    .filter(({ kind }) => kind === 'trigrams' || hash === filter.hash)
    .map(({ kind, field, alternatives }) => ({ section: sectionOf(filter, kind, field), alternatives }))
  const times: Window[] = []
  for (let granule = 0; granule < granulesOf(filter); granule += 1) {
    const isPossible = asked.every(
      ({ section, alternatives }) =>
        !section || alternatives.some((marks) => marks.every((mark) => isSet(section.marks, granule, mark))),
    )
    if (isPossible) times.push({ fromUs: filter.times[2 * granule]!, toUs: filter.times[2 * granule + 1]! })
  }
  return times
}

/** The longest stretches of the whole time that no window touches. */
function gapsBetween(windows: Window[], whole: Window): Window[] {
  const gaps: Window[] = []
  let reached = whole.fromUs - 1
  const end = { fromUs: whole.toUs + 1, toUs: whole.toUs + 1 }
  for (const { fromUs, toUs } of [...windows.toSorted((a, b) => a.fromUs - b.fromUs), end]) {
    if (fromUs > reached + 1) gaps.push({ fromUs: reached + 1, toUs: fromUs - 1 })
    reached = Math.max(reached, toUs)
  }
  return gaps.toSorted((a, b) => b.toUs - b.fromUs - (a.toUs - a.fromUs)).slice(0, MOST_GAPS)
}
