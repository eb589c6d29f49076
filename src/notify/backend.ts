/** A message to a backend is a batch of events, as if a source had stored them. */
import { kindOf } from '../backends/backends.ts'
import { type Batch, failed, type Origin, type Outcome, type Surroundings } from '../backends/kind.ts'
import type { Backend } from '../model/backend.ts'

export type BackendMessage = Batch

/** Backends that keep events keep these as long as an alert keeps its history. */
const RETENTION_DAYS = 30

/** Who tells, in the place of a source. */
export const teller = ({ token, name }: { token: string; name: string }): Origin => ({
  ...{ token, name, serviceName: null, retentionDays: RETENTION_DAYS, fields: () => ({}) },
})

export async function sendToBackend(
  { type, config }: Backend,
  { source, events }: BackendMessage,
  surroundings: Surroundings,
): Promise<Outcome> {
  try {
    const kind = kindOf(type)
    const receiver = kind.connect(config, surroundings)
    try {
      for (let at = 0; at < events.length; at += kind.batch.events) {
        const outcome = await receiver.send({ source, events: events.slice(at, at + kind.batch.events) })
        // What was taken before is sent again with the rest: at least once, as for all events.
        if (outcome.kind !== 'accepted') return outcome
      }
      return { kind: 'accepted' }
    } finally {
      receiver.stop()
    }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), true)
  }
}
