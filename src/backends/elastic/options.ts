import { z } from 'zod'
import { basic, bothOrNeither, gzip, headers, httpUrl } from '../fields.ts'

const Beat = z.strictObject({ transport: z.literal('beat_http'), url: httpUrl, ...basic })
const Pipeline = z.strictObject({ transport: z.literal('pipeline_http'), url: httpUrl, ...basic, gzip, headers })

const withDefault = (config: unknown): unknown =>
  typeof config === 'object' && config !== null && !('transport' in config)
    ? { transport: 'beat_http', ...config }
    : config

export const Options = z
  .preprocess(withDefault, z.discriminatedUnion('transport', [Beat, Pipeline]))
  .superRefine(bothOrNeither)
