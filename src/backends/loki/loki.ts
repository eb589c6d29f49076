/** Loki's push API; `url` is the whole address, such as `http://loki:3100/loki/api/v1/push`. */
import { basicHeader } from '../fields.ts'
import { createHttpReceiver } from '../http.ts'
import { defineKind } from '../kind.ts'
import { encode } from './encode.ts'
import { Options } from './options.ts'

export const loki = defineKind({
  type: 'loki',
  options: Options,
  secrets: ['password'],
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect: ({ url, headers, username, password }, surroundings) =>
    createHttpReceiver(
      {
        url,
        headers: { ...headers, ...basicHeader(username, password) },
        gzip: true,
        encode,
        probeBody: '{"streams":[]}',
      },
      surroundings,
    ),
})
