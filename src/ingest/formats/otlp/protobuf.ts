import { Fields } from '../../../base/protobuf/wire.ts'
import type { Intake } from '../../intake.ts'
import { printJson } from '../../json/print.ts'
import { TooDeep } from '../../json/read.ts'
import type { JsonObject } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { asProtobufFault, assertBody } from '../protobuf/body.ts'
import { assertLength, type Message, messageAt, messagesOf, readMessage } from '../protobuf/message.ts'
import { SharedBytes } from '../shared-bytes.ts'
import { resourceOf, scopeOf, serviceOf } from './attributes.ts'
import { Resource, Scope } from './messages.ts'
import type { Group, Signal } from './signal.ts'

/** The numbers of what a signal nests, alike for all three. */
const RESOURCES = 1
const RESOURCE = 1
const SCOPES = 2
const SCOPE = 1
const RECORDS = 2

type Place = [from: number, to: number]

/** The protobuf form: every record goes where its JSON form would go. */
export async function readProtobuf(intake: Intake, part: string | undefined, signal: Signal): Promise<void> {
  const { body } = intake
  const take = signal.taker(intake, soundness(body, signal))
  const shared = new SharedBytes('Resources and scopes')
  try {
    for (const [from, to] of messagesOf(body, 0, body.length, RESOURCES)) {
      const resource = resourceOf(inner(body, [from, to], RESOURCE, Resource))
      if (part !== undefined && serviceOf(resource) !== part) continue
      for (const scopes of messagesOf(body, from, to, SCOPES)) {
        const group: Group = { resource, scope: scopeOf(inner(body, scopes, SCOPE, Scope)) }
        shared.enter(group.resource, group.scope)
        const records = new Fields(body, ...scopes)
        while (records.next()) {
          if (records.field !== RECORDS) continue
          assertLength(records)
          shared.count()
          take(intake, records.from, records.to, group)
          if (intake.isDueToPause) await intake.pause()
        }
      }
    }
  } catch (error) {
    throw asProtobufFault(error)
  }
}

/**
 * A check of the whole body, once. Before an event goes through the pipeline it must be known that none behind it breaks, or
 * a body that is refused would have left its fields behind.
 */
function soundness(body: Buffer, { request }: Signal): () => void {
  let isSound = false
  return () => {
    if (!isSound) assertBody(body, request)
    isSound = true
  }
}

/** The services that a body names, each one once. */
export function servicesOf(body: Buffer, signal: Signal): string[] {
  const names = new Set<string>()
  try {
    for (const place of messagesOf(body, 0, body.length, RESOURCES))
      names.add(serviceOf(resourceOf(inner(body, place, RESOURCE, Resource))))
  } catch (error) {
    throw asProtobufFault(error)
  }
  // What is stored part by part is checked before the first.
  if (names.size > 1) assertBody(body, signal.request)
  return [...names]
}

/** A message that was refused, as its JSON form. */
export function shown(body: Buffer, from: number, to: number, described: Message): string {
  try {
    return printJson(readMessage(body, from, to, described, MAX_DEPTH))
  } catch (error) {
    if (error instanceof TooDeep) return `${to - from} bytes of protobuf, nested too deep to be shown`
    throw error
  }
}

function inner(body: Buffer, [from, to]: Place, field: number, described: Message): JsonObject | null {
  const found = messageAt(body, from, to, field)
  return found && readMessage(body, ...found, described, MAX_DEPTH)
}
