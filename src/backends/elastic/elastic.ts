/** A search cluster, through the HTTP input of its shipper (`beat_http`), of its ingest pipeline (`pipeline_http`), or OTLP. */
import { basicHeader } from '../fields.ts'
import { createHttpReceiver } from '../http.ts'
import { defineKind } from '../kind.ts'
import { createOtlpReceiver } from '../otlp/receiver.ts'
import { encodeBeat, encodePipeline } from './encode.ts'
import { Options } from './options.ts'

export const elastic = defineKind({
  type: 'elastic',
  options: Options,
  secrets: ['password'],
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect(config, surroundings) {
    if (config.transport === 'otlp') return createOtlpReceiver({ ...config, isFlat: false }, surroundings)
    const isPipeline = config.transport === 'pipeline_http'
    const authorization = basicHeader(config.username, config.password)
    return createHttpReceiver(
      {
        url: config.url,
        headers: isPipeline ? { ...config.headers, ...authorization } : authorization,
        gzip: isPipeline ? config.gzip : true,
        encode: isPipeline ? encodePipeline : encodeBeat,
        probeBody: '[]',
      },
      surroundings,
    )
  },
})
