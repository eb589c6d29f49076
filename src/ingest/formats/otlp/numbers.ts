import { type JsonValue, NumberText } from '../../json/value.ts'
import { text } from '../values.ts'

/** Enums come as numbers or as their names. */
export function named(names: string[], value: JsonValue | undefined, prefix: string): string {
  const word = text(value)
  if (word.startsWith(prefix))
    return names.find((name) => name.toUpperCase() === word.slice(prefix.length)) ?? names[0]!
  return names[Number(word)] ?? names[0]!
}

/** 64-bit integers come as text. */
export function digits(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? new NumberText(String(BigInt(value))) : value
}
