import { expect, test } from 'vitest'
import { z } from 'zod'
import { BackendType } from '../model/backend-type.ts'
import { backendTypes, settleConfig } from './backends.ts'
import { describeKind } from './describe.ts'

const field = (type: string, name: string) =>
  backendTypes()
    .find((one) => one.type === type)
    ?.fields.find((one) => one.name === name)

test('every type can be described, and every secret of it is a field', () => {
  for (const type of backendTypes()) expect(BackendType.parse(type)).toEqual(type)
  expect(field('datadog', 'api_key')).toMatchObject({ secret: true, required: true, input: 'text' })
  expect(field('syslog', 'client_key')).toMatchObject({ secret: true, required: false, input: 'lines' })
})

test('limits, defaults and choices are those that are checked', () => {
  expect(field('syslog', 'port')).toMatchObject({ input: 'number', min: 0, max: 65_535, required: true })
  expect(field('syslog', 'max_message_bytes')).toMatchObject({ default: 50_000, min: 1, max: null })
  expect(field('webhook', 'gzip')).toMatchObject({ input: 'switch', default: true, required: false })
  expect(field('webhook', 'headers')).toMatchObject({ input: 'pairs', required: false })
  expect(field('datadog', 'region')?.choices).toContain('US1-FED')
})

test('what only one variant takes says with which choice', () => {
  expect(field('elastic', 'transport')).toMatchObject({
    input: 'choice',
    choices: ['beat_http', 'pipeline_http', 'otlp'],
    default: 'beat_http',
    required: false,
  })
  expect(field('elastic', 'username')?.only_with).toEqual({
    field: 'transport',
    values: ['beat_http', 'pipeline_http'],
  })
  expect(field('elastic', 'transport')?.only_with).toBeNull()
})

test('a form filled with defaults is a config that is taken', () => {
  for (const { type, fields } of backendTypes()) {
    const config = fields
      .filter(({ default: value, only_with }) => value !== null && only_with === null)
      .map(({ name, default: value }) => [name, value])
    let errors: object = {}
    try {
      settleConfig(type, Object.fromEntries(config))
    } catch (error) {
      errors = error instanceof Error && 'errors' in error ? Object(error.errors) : { error }
    }
    for (const name of Object.keys(errors))
      expect(
        config.map(([field]) => `config.${field}`),
        `${type} ${name}`,
      ).not.toContain(name)
  }
})

test('an option without words gets a label from its name', () => {
  const options = z.strictObject({ api_key: z.string(), pool_size: z.int() })
  const { label, fields } = describeKind({ type: 'sql_store', options, secrets: [] })
  expect([label, ...fields.map((one) => one.label)]).toEqual(['Sql store', 'API key', 'Pool size'])
})
