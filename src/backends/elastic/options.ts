import { z } from 'zod'
import { basic, bothOrNeither, gzip, headers, httpUrl } from '../fields.ts'
import { transport } from '../otlp/options.ts'

const choice = {
  title: 'Transport',
  description:
    'beat_http sends events as stored, pipeline_http documents with @timestamp and message, otlp OpenTelemetry.',
}
const Beat = z.strictObject({ transport: z.literal('beat_http').meta(choice), url: httpUrl, ...basic })
const Pipeline = z.strictObject({
  transport: z.literal('pipeline_http').meta(choice),
  url: httpUrl,
  ...basic,
  gzip,
  headers,
})
const Otlp = z.strictObject({ transport: z.literal('otlp').meta(choice), ...transport })

const withDefault = (config: unknown): unknown =>
  typeof config === 'object' && config !== null && !('transport' in config)
    ? { transport: 'beat_http', ...config }
    : config

export const Options = z
  .preprocess(withDefault, z.discriminatedUnion('transport', [Beat, Pipeline, Otlp]))
  .superRefine((config, context) => {
    if (config.transport !== 'otlp') bothOrNeither(config, context)
  })
  .meta({ title: 'Elastic', description: 'A search cluster, through an HTTP input, a pipeline or OpenTelemetry.' })
