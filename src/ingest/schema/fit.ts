import { type FieldType, UNFIT, UNLISTED } from '../../model/fields.ts'
import { printJson } from '../json/print.ts'
import { JsonObject, type JsonValue, Sent } from '../json/value.ts'
import { asksForFloat, fieldsNeeded, firstType, isScalar, type Scalar, toScalar, withoutFraction } from './convert.ts'
import type { SourceFields } from './source-fields.ts'
import { Strays } from './strays.ts'
import type { FieldNode, Level } from './tree.ts'

export type Fitted = { fields: JsonObject; unfitCount: number }

/**
 * Makes an event fit the fields of its source. An unknown field is added with the type of its value; a value that
 * does not fit is converted if that loses nothing, and otherwise stored as text under `_unfit`. When the schema is
 * locked, or full, unknown fields are stored as JSON text under `_unlisted`.
 *
 * `id` and `timestamp` are left out, because a row has them beside the event; `event_message` is no field of the tree.
 *
 * Promises: no value is lost, no event is refused, and a field never changes its type for one stray event.
 */
export function fitEvent(event: JsonObject, fields: SourceFields, isLocked: boolean): Fitted {
  const fitting = new Fitting(fields, isLocked)
  const kept = fitting.object(event, fields.root, '')
  const unlisted = unlistedText(fitting)
  if (unlisted !== null) {
    if (!fields.root.named(UNLISTED)) fields.add(fields.root, '', UNLISTED, 'string')
    kept.add(UNLISTED, unlisted)
  }
  if (fitting.strays !== null) kept.add(UNFIT, fitting.strays.store(fields))
  return { fields: kept, unfitCount: (fitting.strays?.count ?? 0) - fitting.broughtCount }
}

/** What the copy of an event brings stands beside what is not listed here. */
function unlistedText({ rest, broughtUnlisted: brought }: Fitting): string | null {
  if (rest === null || Array.isArray(rest)) return brought
  return printJson(brought === null ? rest : rest.add(UNLISTED, brought))
}

class Fitting {
  strays: Strays | null = null
  /** The copy of an event brings what did not fit, or was not listed, where it comes from. */
  broughtCount = 0
  broughtUnlisted: string | null = null
  /** What the last `object` or `list` left out because it is not listed. */
  rest: JsonObject | JsonValue[] | null = null
  readonly #fields: SourceFields
  readonly #isLocked: boolean
  readonly #path: string[] = []

  constructor(fields: SourceFields, isLocked: boolean) {
    this.#fields = fields
    this.#isLocked = isLocked
  }

  object(object: JsonObject, level: Level, parent: string): JsonObject {
    const kept = new JsonObject()
    let rest: JsonObject | null = null
    const isEvent = level === this.#fields.root
    for (let i = 0; i < object.size; i++) {
      const name = object.names[i]!
      if (isEvent && (name === 'id' || name === 'timestamp')) continue
      if (isEvent && name === 'event_message') {
        kept.add(name, object.values[i]!)
        continue
      }
      if (isEvent && (name === UNFIT || name === UNLISTED)) {
        this.#bring(name, object.values[i]!)
        continue
      }
      let value: JsonValue = object.values[i]!
      if (value instanceof Sent) {
        if (value.place.parent === level && value.place.name === name) {
          kept.add(name, value)
          continue
        }
        value = value.read()
      }
      const node = level.named(name) ?? this.#newField(level, parent, name, value)
      if (node === 'unlisted') {
        rest ??= new JsonObject()
        rest.add(name, value)
        continue
      }
      this.#path.push(node === 'unfit' ? name : node.name)
      this.rest = null
      const fitting = node === 'unfit' ? undefined : this.#value(value, node)
      if (fitting === undefined) this.#stray(value)
      else if (!isEmpty(fitting)) kept.add(node === 'unfit' ? name : node.name, fitting)
      if (this.rest !== null) {
        rest ??= new JsonObject()
        rest.add(name, this.rest)
      }
      this.#path.pop()
    }
    this.rest = rest
    return kept
  }

  /** undefined: it does not fit. */
  #value(value: JsonValue, node: FieldNode): JsonValue | undefined {
    const type = node.type
    if (node.level !== null) {
      if (type === 'object') return value instanceof JsonObject ? this.object(value, node.level, node.path) : undefined
      const elements = Array.isArray(value) ? value : [value]
      return elements.every((element) => element instanceof JsonObject) ? this.#objects(elements, node) : undefined
    }
    let fitting = toType(value, type)
    if (fitting !== undefined || (type !== 'integer' && type !== 'integer[]') || !asksForFloat(value)) return fitting
    if (this.#isLocked) return toType(withoutFraction(value), type)
    fitting = toType(value, type === 'integer' ? 'float' : 'float[]')
    if (fitting !== undefined) this.#fields.widen(node)
    return fitting
  }

  #objects(elements: JsonObject[], node: FieldNode): JsonObject[] {
    const kept: JsonObject[] = []
    const rests: JsonValue[] = []
    let hasRest = false
    for (const element of elements) {
      const fitting = this.object(element, node.level!, node.path)
      if (fitting.size > 0) kept.push(fitting)
      if (this.rest !== null) hasRest = true
      // An empty object keeps the place, so that the rest of element 3 is still the third.
      rests.push(this.rest ?? new JsonObject())
    }
    this.rest = hasRest ? rests : null
    return kept
  }

  #newField(level: Level, parent: string, name: string, value: JsonValue): FieldNode | 'unlisted' | 'unfit' {
    if (this.#isLocked) return 'unlisted'
    const type = firstType(value)
    const needed = fieldsNeeded(value)
    if (type === null || needed === Number.POSITIVE_INFINITY) return 'unfit'
    return needed > this.#fields.room ? 'unlisted' : this.#fields.add(level, parent, name, type)
  }

  #stray(value: JsonValue): void {
    this.strays ??= new Strays()
    this.strays.add(this.#path, value)
  }

  #bring(name: string, value: JsonValue): void {
    if (name === UNFIT && value instanceof JsonObject) this.#bringStrays(value)
    else this.broughtUnlisted = typeof value === 'string' ? value : printJson(value)
  }

  #bringStrays(object: JsonObject): void {
    for (let i = 0; i < object.size; i++) {
      const value = object.values[i]!
      this.#path.push(object.names[i]!)
      if (value instanceof JsonObject) this.#bringStrays(value)
      else {
        this.#stray(value)
        this.broughtCount++
      }
      this.#path.pop()
    }
  }
}

const isEmpty = (value: JsonValue): boolean =>
  value instanceof JsonObject ? value.size === 0 : Array.isArray(value) && value.length === 0

function toType(value: JsonValue, type: FieldType): JsonValue | undefined {
  switch (type) {
    case 'string':
    case 'integer':
    case 'float':
    case 'boolean':
      return isScalar(value) ? toScalar(value, type) : undefined
    case 'string[]':
      return toList(value, 'string')
    case 'integer[]':
      return toList(value, 'integer')
    case 'float[]':
      return toList(value, 'float')
    case 'boolean[]':
      return toList(value, 'boolean')
    default:
      return undefined
  }
}

/** The whole list or nothing: elements that stayed behind would say something the sender did not. */
function toList(value: JsonValue, type: 'string' | 'integer' | 'float' | 'boolean'): Scalar[] | undefined {
  const list: Scalar[] = []
  for (const element of Array.isArray(value) ? value : [value]) {
    const scalar = isScalar(element) ? toScalar(element, type) : undefined
    if (scalar === undefined) return undefined
    list.push(scalar)
  }
  return list
}
