/** Datadog's log intake of a region. */
import { createHttpReceiver } from '../http.ts'
import { defineKind } from '../kind.ts'
import { encode } from './encode.ts'
import { intakeOf, Options } from './options.ts'

export const datadog = defineKind({
  type: 'datadog',
  options: Options,
  secrets: ['api_key'],
  /** The intake takes 1,000 items and 5 MB. */
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect: (config, surroundings) =>
    createHttpReceiver(
      { url: intakeOf(config), headers: { 'dd-api-key': config.api_key }, gzip: true, encode, probeBody: '[]' },
      surroundings,
    ),
})
