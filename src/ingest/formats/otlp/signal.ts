import type { Intake } from '../../intake.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Message } from '../protobuf/message.ts'

/** The three signals nest alike: resources, in them scopes, in them records. In JSON both spellings are allowed. */
export type Nesting = { resources: [string, string]; scopes: [string, string]; records: [string, string] }

export type Group = { resource: JsonObject; scope: JsonObject }

/** Takes the events of one record of a protobuf body. */
export type TakeMessage = (intake: Intake, from: number, to: number, group: Group) => void

export type Signal = {
  name: string
  nesting: Nesting
  /** A whole request, and one record, in protobuf. */
  request: Message
  record: Message
  /** Takes the events of the record at `from`. */
  take(intake: Intake, from: number, group: Group): void
  /**
   * The same for protobuf; made anew for each request, so that it may remember what its records have in common.
   * `assertSound` must have been called before an event is made of a record.
   */
  taker(intake: Intake, assertSound: () => void): TakeMessage
}
