import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('counters, gauges and histograms print as Prometheus text', () => {
  const metrics = createMetrics()
  metrics.counter('events_total', 'Events taken', { source: 'a"b\n' }).value += 3
  metrics.gauge('queue_length', 'Waiting', () => 7)
  const seconds = metrics.histogram('ack_seconds', 'Time to answer', [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 5]) seconds.observe(value)
  expect(metrics.print()).toBe(
    [
      '# HELP events_total Events taken',
      '# TYPE events_total counter',
      'events_total{source="a\\"b\\n"} 3',
      '# HELP queue_length Waiting',
      '# TYPE queue_length gauge',
      'queue_length 7',
      '# HELP ack_seconds Time to answer',
      '# TYPE ack_seconds histogram',
      'ack_seconds_bucket{le="0.1"} 2',
      'ack_seconds_bucket{le="1"} 3',
      'ack_seconds_bucket{le="+Inf"} 4',
      'ack_seconds_sum 5.65',
      'ack_seconds_count 4',
      '',
    ].join('\n'),
  )
})

test('the same name and labels give the same counter, another kind is refused', () => {
  const metrics = createMetrics()
  expect(metrics.counter('a', '', { x: '1' })).toBe(metrics.counter('a', '', { x: '1' }))
  expect(metrics.counter('a', '', { x: '2' })).not.toBe(metrics.counter('a', '', { x: '1' }))
  expect(() => metrics.gauge('a', '', () => 1)).toThrow('already a counter')
})

test('what is forgotten is no longer printed', () => {
  const metrics = createMetrics()
  metrics.counter('a', '', { source: '1' })
  metrics.counter('a', '', { source: '2' })
  metrics.forget({ source: '1' })
  expect(metrics.print()).not.toContain('source="1"')
  expect(metrics.print()).toContain('source="2"')
})
