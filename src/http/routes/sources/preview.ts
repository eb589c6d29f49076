/** What settings would do to an event, before they are saved. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import { InvalidRecord } from '../../../base/faults.ts'
import type { Preview } from '../../../ingest/preview.ts'
import type { IngestSource } from '../../../ingest/source.ts'
import { check } from '../../../model/check.ts'
import { printEvent } from '../../../model/event-of-row.ts'
import { type Source, SourceChanges } from '../../../model/source.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../../route.ts'

type Parts = {
  preview: Preview
  sourceOf(identity: Identity, token: string): Promise<Source>
  /** Throws unless the LQL texts among the settings can be read. */
  checkLql(changes: SourceChanges): void
  /** At most 100 newest events, oldest first, as finished JSON text. */
  warehouse: { recent(source: Source): Promise<Buffer | string> }
}

const Problem = z.object({ field: z.string(), message: z.string() })
const Event = z.record(z.string(), z.unknown())
const Answer = z.object({
  before: Event,
  after: Event.nullable(),
  dropped: z.boolean(),
  problems: z.array(Problem),
})

const Asked = z.strictObject({
  /** What differs from the stored settings; checked like a change of the source, and told in `problems`. */
  settings: z.record(z.string(), z.unknown()).default({}),
  /** Default: the newest event of the source. */
  event: Event.optional(),
})

export function addPreviewRoute(routes: Routes, { preview, sourceOf, checkLql, warehouse }: Parts): void {
  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/sources/:token/preview',
    area: 'sources',
    summary: 'What settings would make of an event; nothing is stored',
    params: byToken,
    body: Asked,
    status: 200,
    answer: Answer,
    async run({ identity, params, body }) {
      const source = await sourceOf(identity, params.token)
      const before = body.event ?? (await newest(source))
      const answer = (after: string | null, dropped: boolean, problems: z.infer<typeof Problem>[]): FinishedJson => {
        const rest = JSON.stringify({ dropped, problems }).slice(1)
        return new FinishedJson(`{"before":${JSON.stringify(before)},"after":${after},${rest}`)
      }

      const settings = settle(body.settings)
      if (Array.isArray(settings)) return answer(null, false, settings)
      const previewed = await preview(changed(source, settings), before)
      if (previewed.outcome === 'refused') return answer(null, false, [{ field: 'event', message: previewed.reason }])
      return previewed.outcome === 'dropped' ? answer(null, true, []) : answer(printEvent(previewed.event), false, [])
    },
  })

  /** The settings, or what is wrong with them. */
  function settle(sent: Record<string, unknown>): SourceChanges | z.infer<typeof Problem>[] {
    try {
      const changes = check(SourceChanges, sent)
      checkLql(changes)
      return changes
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error
      return Object.entries(error.errors).flatMap(([field, messages]) =>
        messages.map((message) => ({ field, message })),
      )
    }
  }

  async function newest(source: Source): Promise<z.infer<typeof Event>> {
    const events = z.array(Event).parse(JSON.parse(String(await warehouse.recent(source))))
    const event = events.at(-1)
    if (event) return event
    throw new InvalidRecord({ event: ["can't be blank while the source has no events"] })
  }
}

/** The source as ingest would see it after the change. */
function changed(source: Source, changes: SourceChanges): IngestSource {
  const text = (
    name:
      | 'transform_copy_fields'
      | 'transform_key_values'
      | 'transform_drop_fields'
      | 'custom_event_message_keys'
      | 'drop_lql_string',
  ): string | null => {
    const sent = changes[name]
    return sent === undefined ? source[name] : sent
  }
  return {
    token: source.token,
    account_id: source.account_id,
    retention_days: changes.retention_days ?? source.retention_days,
    lock_schema: changes.lock_schema ?? source.lock_schema,
    transform_copy_fields: text('transform_copy_fields'),
    transform_key_values: text('transform_key_values'),
    transform_drop_fields: text('transform_drop_fields'),
    custom_event_message_keys: text('custom_event_message_keys'),
    drop_lql_string: text('drop_lql_string'),
  }
}
