import { z } from 'zod'
import { basic, bothOrNeither, gzip, headers, httpUrl } from '../fields.ts'

const transport = {
  title: 'Transport',
  description: 'beat_http sends events as stored; pipeline_http sends documents with @timestamp and message.',
}
const Beat = z.strictObject({ transport: z.literal('beat_http').meta(transport), url: httpUrl, ...basic })
const Pipeline = z.strictObject({
  transport: z.literal('pipeline_http').meta(transport),
  url: httpUrl,
  ...basic,
  gzip,
  headers,
})

const withDefault = (config: unknown): unknown =>
  typeof config === 'object' && config !== null && !('transport' in config)
    ? { transport: 'beat_http', ...config }
    : config

export const Options = z
  .preprocess(withDefault, z.discriminatedUnion('transport', [Beat, Pipeline]))
  .superRefine(bothOrNeither)
  .meta({ title: 'Elastic', description: 'A search cluster, through an HTTP input or a pipeline.' })
