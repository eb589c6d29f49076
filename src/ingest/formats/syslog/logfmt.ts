import { JsonObject } from '../../json/value.ts'

const PAIR = /(?<=^|\s)([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g

/** Pairs that are read; what follows stays text. A router writes about a dozen. */
const PAIRS_MAX = 100

/** `at=info method=GET path="/pay"` as the fields it names; null when it names none. Values stay text. */
export function readLogfmt(text: string): JsonObject | null {
  const read = new JsonObject()
  for (const [, name = '', quoted, plain = ''] of text.matchAll(PAIR)) {
    if (read.size === PAIRS_MAX) break
    if (!read.names.includes(name)) read.add(name, quoted?.replace(/\\(["\\])/g, '$1') ?? plain)
  }
  return read.size === 0 ? null : read
}
