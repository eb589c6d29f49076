import { z } from 'zod'
import { gzip, headers, httpUrl } from '../fields.ts'

export const Options = z
  .strictObject({
    url: httpUrl,
    headers,
    http: z
      .enum(['http1', 'http2'])
      .meta({ title: 'HTTP version', description: 'Kept for earlier services; HTTP/1.1 is spoken either way.' })
      .default('http2'),
    gzip,
  })
  .meta({ title: 'Webhook', description: 'A POST with a JSON array of events.' })
