import { Fault } from '../../../base/faults.ts'
import { BrokenProtobuf } from '../../../base/protobuf/wire.ts'
import { TooDeep } from '../../json/read.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { assertMessage, type Message } from './message.ts'

/** Throws the fault of a body that is no such message; only then may its events be taken. */
export function assertBody(body: Buffer, described: Message): void {
  try {
    assertMessage(body, 0, body.length, described)
  } catch (error) {
    throw asProtobufFault(error)
  }
}

export function asProtobufFault(error: unknown): unknown {
  if (error instanceof BrokenProtobuf)
    return new Fault('bad_request', `The body is not the protobuf message of this address: ${error.message}.`)
  return error instanceof TooDeep ? new Fault('bad_request', `The body is deeper than ${MAX_DEPTH} levels.`) : error
}
