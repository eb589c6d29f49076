import type { Refused } from './intake.ts'
import { MAX_EVENT_BYTES, MAX_RECORDED_REJECTS, MAX_REJECTED_BYTES } from './limits.ts'

/** A refused event as it is kept for its sender to look at: the JSON that came, or its text where that says more. */
export type RejectedEvent = { at: number; reason: string; event: unknown }

/** `show` reads an event of a body that is no text. */
export function rejectedEvents(
  body: Buffer,
  refused: readonly Refused[],
  atMs: number,
  show?: (body: Buffer, from: number, to: number) => string,
): RejectedEvent[] {
  return refused.slice(-MAX_RECORDED_REJECTS).map((one) => {
    if (!show) return { at: atMs, reason: one.reason, event: eventOf(body, one) }
    const shown = one.to - one.from > MAX_EVENT_BYTES ? '' : (one.show?.() ?? show(body, one.from, one.to))
    const text = Buffer.from(shown)
    return { at: atMs, reason: one.reason, event: eventOf(text, { ...one, from: 0, to: text.length }) }
  })
}

const MAX_OPENED = 2_000

/** An upper bound of the depth that costs one pass. */
const opened = (text: string): number => text.split(/[[{]/, MAX_OPENED + 2).length

function eventOf(body: Buffer, { from, to }: Refused): unknown {
  if (to - from > MAX_REJECTED_BYTES) return `${body.toString('utf8', from, from + MAX_REJECTED_BYTES).toWellFormed()}…`
  const text = body.toString('utf8', from, to)
  // Deep nesting is kept as text: whoever prints it again would have to go as deep.
  if (opened(text) > MAX_OPENED) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
