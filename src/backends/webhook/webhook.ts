/** Any HTTP receiver: a POST with a JSON array of events. */
import { createHttpReceiver } from '../http.ts'
import { defineKind } from '../kind.ts'
import { encode } from './encode.ts'
import { Options } from './options.ts'

export const webhook = defineKind({
  type: 'webhook',
  options: Options,
  secrets: [],
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect: (config, surroundings) => createHttpReceiver({ ...config, encode, probeBody: '[]' }, surroundings),
})
