/**
 * What a source would make of an event, without storing anything: the write flow itself runs over a journal in memory
 * and a copy of the source's fields.
 *
 * Promises: the answer is what `accept` would have stored, and nothing of it stays behind: no field, no row, no count.
 * Leaves out: copies to other sources, which do not change what the source itself keeps.
 */
import { createBuffers } from '../base/buffers.ts'
import type { Clock } from '../base/clock.ts'
import { eventOfRow, type StoredEvent } from '../model/event-of-row.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Frame } from '../model/journal.ts'
import { type AcceptParts, createAccept } from './accept.ts'
import { formats } from './formats/formats.ts'
import { createRates } from './rates.ts'
import { NO_ROUTES } from './routing/routing.ts'
import { createSchemas } from './schema/schemas.ts'
import type { IngestSource } from './source.ts'

export type Previewed = { outcome: 'stored'; event: StoredEvent } | { outcome: 'dropped' } | Refused
type Refused = { outcome: 'refused'; reason: string }

export type Preview = (source: IngestSource, event: unknown) => Promise<Previewed>

type Parts = {
  /** The fields that rows of a source may use. */
  fields(token: string): FlatFields
  keyValues: AcceptParts['keyValues']
  clock: Clock
}

export function createPreview({ fields, keyValues, clock }: Parts): Preview {
  return async function preview(source, event) {
    const rates = createRates({ clock })
    const schemas = createSchemas({ rates })
    schemas.of(source.token, fields(source.token))
    const rows: string[] = []
    const accept = createAccept({
      schemas,
      rates,
      clock,
      keyValues,
      buffers: createBuffers({ keepBytes: 0 }),
      routesOf: () => NO_ROUTES,
      journal: { append: async (frames) => rows.push(...frames.filter(isRows).map(textOf)) },
      rejected: { record() {} },
      counters: { count() {} },
    })
    const { refused, dropped } = await accept({
      source,
      format: formats.logs,
      body: Buffer.from(JSON.stringify([event])),
      headers: { 'content-type': 'application/json' },
    })
    if (refused[0]) return { outcome: 'refused', reason: refused[0].reason }
    if (dropped > 0 || rows[0] === undefined) return { outcome: 'dropped' }
    return { outcome: 'stored', event: eventOfRow(rows[0], () => schemas.all(source.token)) }
  }
}

const isRows = ({ kind }: Frame): boolean => kind === 'events'
/** The memory of rows is used again once they are appended. */
const textOf = ({ body }: Frame): string => Buffer.from(body).toString('utf8')
