import { createBuffers } from '../base/buffers.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Frame } from '../model/journal.ts'
import { createAccept, type Receipt, refusalText } from './accept.ts'
import type { Headers } from './formats/format.ts'
import { formats } from './formats/formats.ts'
import { createRates } from './rates.ts'
import type { RejectedEvent } from './rejects.ts'
import { NO_ROUTES, type Routes } from './routing/routing.ts'
import { createSchemas } from './schema/schemas.ts'
import type { IngestSource } from './source.ts'

export const NOW_MS = Date.UTC(2026, 10, 15, 12, 0, 0)
export const NOW_US = NOW_MS * 1000

export type StoredRow = { id: string; ts: number; e: Record<string, unknown> }

type Setup = {
  source?: Partial<IngestSource>
  fields?: FlatFields
  keyValues?: Record<string, unknown>
  routes?: Routes
  /** Called when a source with enrichment is about to be written to. */
  onLookup?: () => void
  random?: () => number
}

/** Ingest with a journal that is a list in memory. */
export function createTrial({
  source,
  fields = {},
  keyValues = {},
  routes = NO_ROUTES,
  onLookup = () => {},
  random = () => 0,
}: Setup = {}) {
  const settings: IngestSource = {
    token: 'd6c0b2f4-6a8e-4f0e-9a57-3f1f5d1f7c11',
    account_id: 1,
    retention_days: 3650,
    lock_schema: false,
    transform_copy_fields: null,
    transform_key_values: null,
    transform_drop_fields: null,
    custom_event_message_keys: null,
    drop_lql_string: null,
    ...source,
  }
  const clock = { nowMs: () => NOW_MS }
  const rates = createRates({ clock })
  const schemas = createSchemas({ rates, random })
  schemas.of(settings.token, fields)
  const frames: Frame[] = []
  const rejects: RejectedEvent[] = []
  const journal = {
    isBroken: false,
    appends: 0,
    async append(more: Frame[]) {
      await Promise.resolve()
      if (journal.isBroken) throw new Error('the disk is full')
      journal.appends++
      frames.push(...more.map((frame) => ({ ...frame, body: Buffer.from(frame.body) })))
      return frames.length
    },
  }
  const counted = { accepted: 0, copied: 0, refused: 0, dropped: 0, unfit: 0 }
  const accept = createAccept({
    schemas,
    rates,
    clock,
    buffers: createBuffers({ keepBytes: 0 }),
    journal,
    routesOf: (from) => (from.token === settings.token ? routes : NO_ROUTES),
    keyValues: {
      lookupFor: () => {
        onLookup()
        return (key) => (Object.hasOwn(keyValues, key) ? keyValues[key] : undefined)
      },
    },
    rejected: { record: (_, entries) => void rejects.push(...entries) },
    counters: {
      count: (_, counts) => {
        counted.accepted += counts.accepted
        counted.refused += counts.refused
        counted.unfit += counts.unfit
        counted.copied += counts.copied
        counted.dropped += counts.dropped
      },
    },
  })

  const rowsText = (token?: string): string =>
    frames
      .filter(({ kind, source }) => kind === 'events' && (token === undefined || source === token))
      .map(({ body }) => Buffer.from(body).toString())
      .join('')

  return {
    accept,
    source: settings,
    schemas,
    rates,
    frames,
    rejects,
    journal,
    counted,
    rowsText,
    /** Of all sources, or of one. */
    rows: (token?: string): StoredRow[] =>
      rowsText(token)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    send: (
      body: string | Buffer,
      { format = 'logs', headers = {}, sourceField, as }: SendOptions = {},
    ): Promise<Receipt> =>
      accept({
        source: as ?? settings,
        format: formats[format],
        body: Buffer.from(body),
        headers: { 'content-type': 'application/json', ...headers },
        sourceField,
      }),
  }
}

type SendOptions = {
  format?: keyof typeof formats
  headers?: Headers
  sourceField?: 'source' | 'source_name'
  as?: IngestSource
}

/** An event as users get it back: what the loader makes of a row. */
export function asStored({ id, ts, e }: StoredRow): Record<string, unknown> {
  const { id: _id, timestamp: _timestamp, message, event_message, ...fields } = e
  const stored: Record<string, unknown> = {
    ...fields,
    id,
    timestamp: ts,
    event_message: event_message ?? message ?? null,
  }
  if (event_message !== undefined && message !== undefined) stored.message = message
  return stored
}

/** Sends the events one after the other and gives back the last one as stored, or the reason it was refused. */
export async function storedAfter(setup: Setup, ...events: (string | object)[]) {
  const trial = createTrial(setup)
  let receipt: Receipt | undefined
  for (const event of events) receipt = await trial.send(typeof event === 'string' ? event : JSON.stringify([event]))
  if (receipt?.refused[0]) return refusalText(receipt.refused[0])
  const row = trial.rows().at(-1)
  return row && asStored(row)
}
