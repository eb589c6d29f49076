import { wrongUse } from './failure.ts'

/** `name=value` pairs; a value that reads as JSON is that, any other is text. */
export function readPairs(pairs: string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw wrongUse(`${JSON.stringify(pair)} must look like name=value.`)
      return [pair.slice(0, at), readValue(pair.slice(at + 1))]
    }),
  )
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
