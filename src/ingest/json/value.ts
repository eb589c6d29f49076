/**
 * JSON as it was sent: numbers keep their digits, objects keep the order of their keys and every duplicate.
 * Built only for events that need work; the others are copied as bytes.
 */
export type JsonValue = string | boolean | null | NumberText | JsonObject | JsonValue[] | Sent

/**
 * A value that nobody had to look into yet: it is still the bytes it came in, which were found fit for a field. There
 * it is stored by copying the bytes; anywhere else it must be opened first.
 */
export abstract class Sent {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  /** The field it was found fit for. */
  readonly place: Place

  constructor(bytes: Buffer, from: number, to: number, place: Place) {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.place = place
  }

  /** The value itself; the fields of an object are again such bytes. */
  abstract open(): Exclude<JsonValue, Sent>

  /** The value with everything in it. */
  abstract read(): Exclude<JsonValue, Sent>
}

type Place = { name: string; parent: object /** `"name":` */; quotedName: Uint8Array }

/** A number literal. `1`, `1.0` and `9223372036854775807` stay apart, which a double could not do. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get isInteger(): boolean {
    for (let i = 0; i < this.text.length; i++) {
      const unit = this.text.charCodeAt(i)
      if (unit === 0x2e || unit === 0x65 || unit === 0x45) return false
    }
    return true
  }
}

/** Names and values side by side. `__proto__` is a name like any other. */
export class JsonObject {
  readonly names: string[] = []
  readonly values: JsonValue[] = []

  get size(): number {
    return this.names.length
  }

  /** Appends without looking for the name: the caller knows it is new, or wants the duplicate. */
  add(name: string, value: JsonValue): this {
    this.names.push(name)
    this.values.push(value)
    return this
  }

  /** Names that differ only in case are one field. */
  indexOf(name: string): number {
    const exact = this.names.indexOf(name)
    if (exact >= 0) return exact
    const folded = name.toLowerCase()
    return this.names.findIndex((known) => known.length === name.length && known.toLowerCase() === folded)
  }

  get(name: string): JsonValue | undefined {
    const index = this.indexOf(name)
    return index < 0 ? undefined : this.values[index]
  }

  /** The same, read if it is still bytes. An object stays open, as it may be changed; what is only read stays bytes. */
  opened(name: string): Exclude<JsonValue, Sent> | undefined {
    const index = this.indexOf(name)
    if (index < 0) return undefined
    const value = this.values[index]!
    if (!(value instanceof Sent)) return value
    const opened = value.open()
    if (opened instanceof JsonObject) this.values[index] = opened
    return opened
  }

  set(name: string, value: JsonValue): void {
    const index = this.indexOf(name)
    if (index < 0) this.add(name, value)
    else this.values[index] = value
  }

  delete(name: string): void {
    const index = this.indexOf(name)
    if (index >= 0) this.deleteAt(index)
  }

  deleteAt(index: number): void {
    this.names.splice(index, 1)
    this.values.splice(index, 1)
  }
}

/** A value that never was JSON text here (a key-value entry, a header) in the form of the pipeline. */
export function fromPlain(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? new NumberText(String(value)) : String(value)
  if (typeof value === 'bigint') return new NumberText(String(value))
  if (Array.isArray(value)) return value.map(fromPlain)
  if (value === null || typeof value !== 'object') return null
  const object = new JsonObject()
  for (const [name, child] of Object.entries(value)) object.add(name, fromPlain(child))
  return object
}

/** A copy that shares nothing that a later step may change. */
export function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!(value instanceof JsonObject)) return value
  const copy = new JsonObject()
  for (let i = 0; i < value.size; i++) copy.add(value.names[i]!, copyOf(value.values[i]!))
  return copy
}
