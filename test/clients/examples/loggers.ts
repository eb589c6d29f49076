import { hostname } from 'node:os'
import { expect } from 'vitest'
import type { Example } from '../example.ts'

const UNAUTHORIZED = /Unauthorized/
const CONTEXT = { host: hostname(), pid: expect.any(Number) }

/** Libraries that programs log with, through Logflare's own packages or plain HTTP. */
export const loggerExamples: Example[] = [
  {
    page: 'pino',
    heading: 'pino-logflare',
    language: 'js',
    isServer: true,
    stored: [
      { event_message: 'declined', metadata: { level: 'error', context: CONTEXT } },
      { event_message: 'paid', metadata: { amount: 12, level: 'info', context: CONTEXT } },
    ],
    refused: /response was not ok/,
  },
  {
    page: 'pino',
    heading: 'A stream in the same thread',
    language: 'js',
    stored: [{ event_message: 'paid', metadata: { amount: 12, level: 'info', context: CONTEXT } }],
    refused: UNAUTHORIZED,
  },
  {
    page: 'pino',
    heading: 'The output of a program',
    language: 'sh',
    stored: [{ event_message: 'paid', metadata: { amount: 12, level: 'info' } }],
    // The command has no option that would make it say so.
    refused: null,
  },
  {
    page: 'winston',
    heading: 'The Http transport',
    language: 'js',
    stored: [
      { event_message: 'late', level: 'warn' },
      { event_message: 'paid', level: 'info', amount: 12 },
    ],
    refused: /401/,
  },
  {
    page: 'winston',
    heading: 'winston-logflare',
    language: 'js',
    stored: [{ event_message: 'paid', metadata: { amount: 12, level: 'info' } }],
    refused: UNAUTHORIZED,
  },
  {
    page: 'cloud-events',
    heading: 'Binary mode',
    language: 'sh',
    stored: [
      {
        event_message: 'paid',
        amount: 12,
        cloud_event: { specversion: '1.0.2', id: '1', source: '/pay', type: 'paid', time: expect.any(String) },
      },
    ],
    refused: UNAUTHORIZED,
  },
  {
    page: 'cloud-events',
    heading: 'Structured mode',
    language: 'sh',
    stored: [
      {
        event_message: 'paid',
        amount: 12,
        cloud_event: { specversion: '1.0', id: '1', source: '/pay', type: 'paid' },
      },
    ],
    refused: UNAUTHORIZED,
  },
  {
    page: 'cloud-events',
    heading: 'The JavaScript SDK',
    language: 'js',
    stored: [
      {
        event_message: 'paid',
        amount: 12,
        cloud_event: {
          specversion: '1.0',
          id: expect.any(String),
          source: '/pay',
          type: 'paid',
          subject: 'order 7',
          time: expect.any(String),
        },
      },
      {
        event_message: 'shipped',
        cloud_event: {
          specversion: '1.0',
          id: expect.any(String),
          source: '/ship',
          type: 'shipped',
          time: expect.any(String),
        },
      },
    ],
    refused: UNAUTHORIZED,
  },
]
