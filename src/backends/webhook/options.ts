import { z } from 'zod'
import { gzip, headers, httpUrl } from '../fields.ts'

export const Options = z.strictObject({
  url: httpUrl,
  headers,
  /** Kept for records of earlier services; HTTP/1.1 is spoken either way. */
  http: z.enum(['http1', 'http2']).default('http2'),
  gzip,
})
