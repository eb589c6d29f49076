/** The webhook feed of a security-analytics instance. A feed carries one log type: several need a backend each. */
import { createHttpReceiver } from '../http.ts'
import { defineKind } from '../kind.ts'
import { encode } from './encode.ts'
import { feedHeaders, feedUrl, Options } from './options.ts'

export const securityAnalytics = defineKind({
  type: 'security_analytics',
  options: Options,
  secrets: ['api_key', 'secret'],
  /** The feed takes 4 MB a request. */
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect(config, surroundings) {
    const url = feedUrl(config)
    const headers = feedHeaders(config, url)
    return createHttpReceiver(
      { url, headers, gzip: false, contentType: 'application/x-ndjson', encode, probeBody: '' },
      surroundings,
    )
  },
})
