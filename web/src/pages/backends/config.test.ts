import { expect, test } from 'vitest'
import type { BackendField, BackendType } from '../../api/records.ts'
import { configOf, draftOf, shownFields } from './config.ts'

const field = (name: string, more: Partial<BackendField> = {}): BackendField => ({
  ...{ name, label: name, help: null, input: 'text', required: false, secret: false, default: null },
  ...{ choices: [], min: null, max: null, max_length: null, only_with: null },
  ...more,
})

const TYPE: BackendType = {
  type: 'sample',
  label: 'Sample',
  about: null,
  fields: [
    field('mode', { input: 'choice', choices: ['plain', 'rich'], default: 'plain' }),
    field('url', { required: true }),
    field('key', { secret: true }),
    field('port', { input: 'number', default: 514 }),
    field('tls', { input: 'switch', default: false }),
    field('headers', { input: 'pairs', only_with: { field: 'mode', values: ['rich'] } }),
  ],
}

test('a new config starts from the defaults and leaves out what stays empty', () => {
  const draft = draftOf(TYPE, null)
  expect(draft).toEqual({ mode: 'plain', url: '', key: '', port: '514', tls: false, headers: [] })
  expect(configOf(TYPE, { ...draft, url: 'http://a' }, null)).toEqual({
    mode: 'plain',
    url: 'http://a',
    port: 514,
    tls: false,
  })
})

test('a stored secret is kept until another is typed, and can be taken out', () => {
  const stored = { mode: 'plain', url: 'http://a', key: 'REDACTED', port: 1, tls: true }
  const draft = draftOf(TYPE, stored)
  expect(configOf(TYPE, draft, stored)).toEqual(stored)
  expect(configOf(TYPE, { ...draft, key: 'new' }, stored)).toMatchObject({ key: 'new' })
  expect(configOf(TYPE, { ...draft, key: '' }, stored)).toMatchObject({ key: null })
})

test('what the choice does not take is neither shown nor kept', () => {
  const stored = { mode: 'rich', url: 'http://a', headers: { a: 'b' } }
  const draft = draftOf(TYPE, stored)
  expect(shownFields(TYPE, draft).map(({ name }) => name)).toContain('headers')
  expect(configOf(TYPE, draft, stored).headers).toEqual({ a: 'b' })
  const plain = { ...draft, mode: 'plain' }
  expect(shownFields(TYPE, plain).map(({ name }) => name)).not.toContain('headers')
  expect(configOf(TYPE, plain, stored).headers).toBeNull()
})
