import { z } from 'zod'
import { gzip, headers, httpUrl } from '../fields.ts'

/** What both types that speak OTLP have in common. The endpoint is the whole address: nothing is appended to it. */
export const transport = {
  endpoint: httpUrl.meta({
    title: 'Address',
    description: 'The whole address, such as https://otel.example.com/v1/logs; nothing is appended to it.',
  }),
  protocol: z.literal('http/protobuf').meta({ title: 'Protocol' }).default('http/protobuf'),
  gzip,
  headers,
}

export const Options = z
  .strictObject({
    ...transport,
    flatten_to_attributes: z
      .boolean()
      .meta({
        title: 'Fields as attributes',
        description: 'The message as body and every other field as an attribute, instead of the fields as body.',
      })
      .default(false),
  })
  .meta({ title: 'OpenTelemetry', description: 'Logs over OTLP, as protobuf over HTTP.' })
