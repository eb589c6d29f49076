import { expect } from 'vitest'
import type { Example } from '../example.ts'

const SHARED = { resource: { _service_name: 'checkout' }, scope: { name: 'payments' }, project: 'checkout' }
const UNAUTHORIZED = /Unauthorized|401/

/** By protobuf, as the page has it. */
const programs: Example[] = [
  {
    page: 'opentelemetry',
    heading: 'Logs from Node',
    language: 'js',
    stored: [
      {
        event_message: 'paid',
        body: 'paid',
        severity_number: 9,
        severity_text: 'INFO',
        resource: SHARED.resource,
        attributes: { amount: 12, _card_kind: 'debit' },
        scope: { name: 'payments', version: '1.2.0' },
        metadata: { type: 'otel_log' },
      },
    ],
    refused: UNAUTHORIZED,
  },
  {
    page: 'opentelemetry',
    heading: 'Traces from Node',
    language: 'js',
    stored: [
      {
        ...SHARED,
        event_message: 'card read',
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        parent_span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        attributes: { kind: 'debit' },
        metadata: { type: 'event' },
      },
      {
        ...SHARED,
        event_message: 'pay',
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        kind: 'Server',
        status: { code: 'Ok' },
        start_time: expect.anything(),
        end_time: expect.anything(),
        attributes: { amount: 12 },
        metadata: { type: 'span' },
      },
    ],
    refused: UNAUTHORIZED,
  },
  {
    page: 'opentelemetry',
    heading: 'Metrics from Node',
    language: 'js',
    stored: [
      {
        ...SHARED,
        event_message: 'orders',
        unit: '1',
        metric_type: 'sum',
        value: 3,
        is_monotonic: true,
        aggregation_temporality: 'cumulative',
        attributes: { branch: 'north' },
        start_time: expect.anything(),
        metadata: { type: 'metric' },
      },
      {
        ...SHARED,
        event_message: 'took',
        unit: 'ms',
        metric_type: 'histogram',
        count: 1,
        sum: 12.5,
        min: 12.5,
        max: 12.5,
        bucket_counts: expect.any(Array),
        explicit_bounds: expect.any(Array),
        aggregation_temporality: 'cumulative',
        start_time: expect.anything(),
        metadata: { type: 'metric' },
      },
    ],
    refused: UNAUTHORIZED,
  },
  {
    page: 'opentelemetry',
    heading: 'pino',
    language: 'js',
    isServer: true,
    stored: [
      {
        event_message: 'paid',
        body: 'paid',
        severity_number: 9,
        severity_text: 'info',
        attributes: { amount: 12 },
        resource: expect.objectContaining({ _service_name: 'checkout' }),
        scope: { name: 'payments' },
        metadata: { type: 'otel_log' },
      },
    ],
    // The transport keeps what it is told to itself.
    refused: null,
  },
]

const AS_JSON = { name: 'as JSON', of: (text: string): string => text.replaceAll('otlp-proto', 'otlp-http') }

export const openTelemetryExamples: Example[] = [
  ...programs,
  ...programs.filter(({ heading }) => heading !== 'pino').map((program) => ({ ...program, variant: AS_JSON })),
]
