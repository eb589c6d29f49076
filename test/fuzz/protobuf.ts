/** Bodies in protobuf, from which wrong ones are made: bent as bytes, or as the JSON that they stand for. */
import { ProtobufWriter } from '../../src/base/protobuf/writer.ts'
import { encodeMessage } from '../../src/ingest/formats/otlp/testing.ts'
import { seedsOf } from './seeds.ts'
import type { Codec } from './values.ts'

const REQUESTS: Record<string, string> = {
  'otlp-logs': 'LogsRequest',
  'otlp-traces': 'TracesRequest',
  'otlp-metrics': 'MetricsRequest',
}

/** Of a signal of OTLP; null for other formats. */
export function otlpProtobuf(format: string): { seeds: Buffer[]; codec: Codec } | null {
  const type = REQUESTS[format]
  if (type === undefined) return null
  const requests = seedsOf(format).map((seed): object => JSON.parse(seed.toString()))
  return {
    seeds: requests.map((request) => encodeMessage(type, request)),
    codec: {
      read: () => requests[0],
      // What has no form in protobuf is sent as the JSON it is.
      write(value) {
        try {
          return encodeMessage(type, Object(value))
        } catch {
          return Buffer.from(JSON.stringify(value) ?? '')
        }
      },
    },
  }
}

const labels = ['{app="x", level="a\\"b"}', '{}', '{app=`x`', '']

/** A push of Loki before it is packed. */
export const LOKI_PUSHES: readonly Buffer[] = labels.map((text) => {
  const push = new ProtobufWriter()
  push.message(1, (stream) =>
    stream
      .text(1, text)
      .message(2, (entry) =>
        entry
          .message(1, (time) => time.integer(1, 1_763_200_000).integer(2, 123_456_789))
          .text(2, 'line "quoted"')
          .message(3, (pair) => pair.text(1, 'a').text(2, 'b')),
      )
      .message(2, (entry) => entry.message(1, (time) => time.integer(1, -5n)).text(2, 'ü\u0001'))
      .integer(3, 7),
  )
  return Buffer.from(push.finish())
})
