import { expect, test } from 'vitest'
import { settleConfig } from './backends.ts'
import { readHomeAddress } from './home-address.ts'

test.each([
  ['postgres://me:pw@db:5433/logs', null, 'postgres', { url: 'postgres://me:pw@db:5433/logs' }],
  ['postgresql://me@db/logs', 'events', 'postgres', { url: 'postgresql://me@db/logs', schema: 'events' }],
  [
    'clickhouse://me:p%40w@ch/logs',
    null,
    'clickhouse',
    { url: 'http://ch:8123', database: 'logs', username: 'me', password: 'p@w' },
  ],
  ['clickhouses://ch:9443?replicated=true', null, 'clickhouse', { url: 'https://ch:9443', replicated: true }],
  ['bigquery://my-project/logs', null, 'bigquery', { project_id: 'my-project', dataset_id: 'logs' }],
])('%s is a backend', (address, schema, type, config) => {
  expect(readHomeAddress(address, schema)).toEqual({ type, config })
  if (type !== 'bigquery') expect(() => settleConfig(type, { ...config })).not.toThrow()
})

test.each(['postgres://', 'mysql://h/d', 'clickhouse:///x', 'bigquery://project', 'clickhouse://%zz@ch/x'])(
  '%s is none, and the words say what one looks like',
  (address) => expect(() => readHomeAddress(address, null)).toThrow(/MILLRACE_DEFAULT_BACKEND must be/),
)
