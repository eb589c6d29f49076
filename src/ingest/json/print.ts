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
  if (isPlain(text)) return `"${text}"`
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed())
}

/** Short texts of plain characters, such as ids, need no escapes. */
function isPlain(text: string): boolean {
  if (text.length > SHORT) return false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false
  }
  return true
}

const SHORT = 40

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
