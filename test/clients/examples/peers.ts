import { hostname } from 'node:os'
import { expect } from 'vitest'
import type { Example } from '../example.ts'

const WINSTON_LOKI: Example = {
  page: 'loki',
  heading: 'winston-loki',
  language: 'js',
  stored: [
    {
      event_message: 'paid {"amount":12,"level":"info"}',
      labels: { job: expect.stringMatching(/^loki-/), level: 'info' },
    },
  ],
  refused: /401|Unauthorized/,
}

/** Published clients of other services, which know nothing of this one. */
export const peerExamples: Example[] = [
  {
    page: 'loki',
    heading: 'pino-loki',
    language: 'js',
    isServer: true,
    stored: [
      {
        event_message: expect.stringContaining('"amount":12'),
        labels: { job: expect.stringMatching(/^loki-/), level: 'info', hostname: hostname() },
      },
    ],
    refused: /401|Unauthorized/,
  },
  WINSTON_LOKI,
  {
    ...WINSTON_LOKI,
    // Only JSON has a place for what an entry says beside its text.
    stored: [{ ...WINSTON_LOKI.stored[0], metadata: { amount: '12', level: 'info' } }],
    variant: { name: 'as JSON', of: (text) => text.replace('interval: 1', 'interval: 1, json: true') },
  },
  {
    page: 'elasticsearch',
    heading: 'The JavaScript client',
    language: 'js',
    stored: [{ event_message: 'paid', amount: 12 }, { event_message: 'shipped' }],
    refused: /Unauthorized/,
  },
  {
    page: 'elasticsearch',
    heading: 'pino-elasticsearch',
    language: 'js',
    stored: [
      {
        event_message: 'paid',
        amount: 12,
        level: 30,
        pid: expect.any(Number),
        hostname: hostname(),
        time: expect.any(String),
      },
    ],
    refused: /Unauthorized/,
  },
  {
    page: 'splunk',
    heading: 'One request',
    language: 'sh',
    stored: [
      { event_message: 'paid', amount: 12, splunk: { index: expect.any(String) } },
      { event_message: 'shipped', splunk: { index: expect.any(String) } },
    ],
    refused: /Invalid token/,
  },
  {
    page: 'splunk',
    heading: 'splunk-logging',
    language: 'js',
    stored: [{ event_message: 'paid', severity: 'info', splunk: { index: expect.stringMatching(/^splunk-/) } }],
    refused: /Invalid token/,
  },
  {
    page: 'splunk',
    heading: 'Acknowledgements',
    language: 'sh',
    stored: [{ event_message: 'paid', splunk: { index: expect.stringMatching(/^splunk-/) } }],
    refused: /Invalid token/,
  },
  {
    page: 'datadog',
    heading: 'One request',
    language: 'sh',
    stored: [
      {
        event_message: 'paid',
        service: expect.stringMatching(/^datadog-/),
        ddtags: 'env:prod',
        hostname: 'web-1',
        ddsource: 'node',
      },
    ],
    refused: /403/,
  },
]
