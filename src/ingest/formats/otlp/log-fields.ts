import type { SourceFields } from '../../schema/source-fields.ts'
import { FIT, type Level } from '../../schema/tree.ts'
import type { AttributeName } from './attribute-names.ts'

/** Whatever the value: the scan will look at it. */
export const ANY = -1

/**
 * What the fields of a source take that log records are written to, as `FIT` has it: what the scan would find out, asked
 * once and not for each record. Without fields to ask everything fits, and the scan must follow.
 */
export class LogFields {
  readonly #fields: SourceFields | null
  #version = -1
  #attributes: Level | null = null
  #object = 0
  body = ANY
  eventName = ANY
  severityNumber = ANY
  severityText = ANY
  traceId = ANY
  spanId = ANY
  /** Whether attributes have a place at all. */
  takesAttributes = true

  constructor(fields: SourceFields | null) {
    this.#fields = fields
  }

  /** A new record. Answers whether the tree has changed since the one before. */
  begin(): boolean {
    const fields = this.#fields
    if (fields === null) return false
    this.#object = ++fields.objectCount
    if (fields.version === this.#version) return false
    this.#settle(fields)
    return true
  }

  /** What the field of this attribute takes; nothing when the record had one of that name before. */
  ofAttribute(name: AttributeName): number {
    if (this.#fields === null) return ANY
    if (name.version !== this.#version) {
      name.version = this.#version
      const node = this.#attributes?.named(name.legal)
      name.field = node?.name === name.legal ? node : null
    }
    const { field } = name
    if (field === null || field.seenIn === this.#object) return FIT.nothing
    field.seenIn = this.#object
    return field.fit
  }

  #settle({ root, version }: SourceFields): void {
    this.#version = version
    const fitOf = (name: string): number => {
      const node = root.named(name)
      return node?.name === name ? node.fit : FIT.nothing
    }
    this.body = fitOf('body')
    this.eventName = fitOf('event_name')
    this.severityNumber = fitOf('severity_number')
    this.severityText = fitOf('severity_text')
    this.traceId = fitOf('trace_id')
    this.spanId = fitOf('span_id')
    this.takesAttributes = fitOf('attributes') === FIT.object
    this.#attributes = this.takesAttributes ? (root.named('attributes')?.level ?? null) : null
  }
}

export const takes = (fit: number, wanted: number): boolean => fit === wanted || fit === ANY
export const takesNumber = (fit: number): boolean => fit === FIT.integer || fit === FIT.float || fit === ANY
export const takesList = (fit: number): boolean => (fit > FIT.list && fit < FIT.id) || fit === ANY
