import { JsonObject, type JsonValue, NumberText, Sent } from './value.ts'

/** JSON text without white space. Lone surrogates become U+FFFD, because DuckDB refuses a row that holds one. */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string') return printString(value)
  if (value instanceof NumberText) return value.text
  if (value instanceof JsonObject) return printObject(value)
  if (value instanceof Sent) return printJson(value.read())
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  return String(value)
}

export function printString(text: string): string {
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed())
}

function printObject(object: JsonObject): string {
  let text = '{'
  for (let i = 0; i < object.size; i++) {
    if (i > 0) text += ','
    text += `${printString(object.names[i]!)}:${printJson(object.values[i]!)}`
  }
  return `${text}}`
}

/** A value of an event whose names are all legal, which need no escapes. */
export function printStored(value: JsonValue): string {
  if (value instanceof JsonObject) return printStoredObject(value)
  if (!Array.isArray(value)) return printJson(value)
  let text = '['
  for (let i = 0; i < value.length; i++) text += i > 0 ? `,${printStored(value[i]!)}` : printStored(value[i]!)
  return `${text}]`
}

function printStoredObject({ names, values }: JsonObject): string {
  let text = '{'
  for (let i = 0; i < values.length; i++) {
    text += i > 0 ? `,"${names[i]}":` : `"${names[i]}":`
    text += printStored(values[i]!)
  }
  return `${text}}`
}
