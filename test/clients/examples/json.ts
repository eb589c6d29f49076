import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { bert } from '../bert.ts'
import type { Example } from '../example.ts'

const PAID = { event_message: 'paid', metadata: { amount: 12 } }
const SHIPPED = { event_message: 'shipped' }
const UNAUTHORIZED = /Unauthorized/

export const jsonExamples: Example[] = [
  { page: 'json', heading: 'One request', language: 'sh', stored: [PAID, SHIPPED], refused: UNAUTHORIZED },
  {
    page: 'json',
    heading: 'Lines, packed',
    language: 'sh',
    stored: [{ event_message: 'paid' }, SHIPPED],
    refused: UNAUTHORIZED,
  },
  { page: 'json', heading: 'JavaScript', language: 'js', stored: [PAID], refused: UNAUTHORIZED },
  { page: 'json', heading: 'logflare-transport-core', language: 'js', stored: [PAID], refused: UNAUTHORIZED },
  {
    page: 'json',
    heading: 'JSON of any shape',
    language: 'sh',
    stored: [{ event_message: '{"id":7,"timestamp":"soon"}', metadata: { id: 7, timestamp: 'soon' } }],
    refused: UNAUTHORIZED,
  },
  {
    page: 'json',
    heading: 'Texts that are numbers',
    language: 'sh',
    stored: [{ event_message: 'paid', took: 1.5 }],
    refused: UNAUTHORIZED,
  },
  {
    page: 'browser',
    heading: 'Events of a page',
    language: 'js',
    stored: [{ event_message: 'button pressed', metadata: { page: '/pay' } }],
    refused: UNAUTHORIZED,
  },
  {
    page: 'browser',
    heading: 'Content security policy',
    language: 'text',
    stored: [
      {
        event_message: expect.stringContaining('"csp-violation"'),
        metadata: { type: 'csp-violation', age: 2, body: { blockedURL: 'https://elsewhere.example/x.js' } },
      },
    ],
    refused: UNAUTHORIZED,
    replay: (headers) => ({
      url: /="(http[^"]+)"/.exec(headers)?.[1] ?? '',
      headers: { 'content-type': 'application/reports+json' },
      body: JSON.stringify([{ type: 'csp-violation', age: 2, body: { blockedURL: 'https://elsewhere.example/x.js' } }]),
      status: 200,
    }),
  },
  {
    page: 'elixir',
    heading: 'logflare_logger_backend',
    language: 'elixir',
    stored: [{ event_message: 'paid', level: 'info', metadata: { amount: 12 } }],
    refused: UNAUTHORIZED,
    replay: (config) => {
      const setting = (name: string): string =>
        new RegExp(`${name}: (?:System\\.fetch_env!\\()?"([^"]+)"`).exec(config)?.[1] ?? ''
      const batch = [{ level: 'info', message: 'paid', metadata: { amount: 12 } }]
      return {
        url: `${setting('url')}/logs/elixir/logger`,
        headers: {
          'content-type': 'application/bert',
          'content-encoding': 'gzip',
          'x-api-key': setting('api_key'),
        },
        body: gzipSync(bert({ batch, source: setting('source_id') })),
        status: 200,
      }
    },
  },
  {
    page: 'elixir',
    heading: 'Logger as JSON',
    language: 'sh',
    stored: [{ event_message: 'paid', level: 'info', metadata: { pid: '<0.42.0>' } }],
    refused: UNAUTHORIZED,
  },
]
