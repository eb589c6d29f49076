import { z } from 'zod'
import { gzip, headers, httpUrl } from '../fields.ts'

/** What both types that speak OTLP have in common. The endpoint is the whole address: nothing is appended to it. */
export const transport = {
  endpoint: httpUrl,
  protocol: z.literal('http/protobuf').default('http/protobuf'),
  gzip,
  headers,
}

export const Options = z.strictObject({
  ...transport,
  /** The message as body and every other field as an attribute, instead of the fields as body. */
  flatten_to_attributes: z.boolean().default(false),
})
