import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

/** As the container of a self-hosted Supabase gets it. */
const CONTAINER = {
  LOGFLARE_NODE_HOST: '127.0.0.1',
  DB_USERNAME: 'supabase_admin',
  DB_DATABASE: '_supabase',
  DB_HOSTNAME: 'db',
  DB_PORT: '5432',
  DB_PASSWORD: 'secret',
  DB_SCHEMA: '_analytics',
  LOGFLARE_PUBLIC_ACCESS_TOKEN: 'public-0123456789',
  LOGFLARE_PRIVATE_ACCESS_TOKEN: 'private-0123456789',
  LOGFLARE_SINGLE_TENANT: 'true',
  LOGFLARE_SUPABASE_MODE: 'true',
  POSTGRES_BACKEND_URL: 'postgresql://supabase_admin:secret@db:5432/_supabase',
  POSTGRES_BACKEND_SCHEMA: '_analytics',
  LOGFLARE_FEATURE_FLAG_OVERRIDE: 'multibackend=true',
}

test('the environment of a Supabase container is enough', () => {
  expect(readSettings(CONTAINER)).toMatchObject({
    compat: 'supabase',
    host: '0.0.0.0',
    port: 4000,
    databaseUrl: null,
    managementToken: 'private-0123456789',
    ingestToken: 'public-0123456789',
    ingestScopes: 'ingest',
  })
})

test('names without a meaning here are told, and no value of them is', () => {
  expect(readSettings(CONTAINER).unusedNames).toEqual([
    ...['DB_DATABASE', 'DB_HOSTNAME', 'DB_PASSWORD', 'DB_PORT', 'DB_SCHEMA', 'DB_USERNAME'],
    ...['LOGFLARE_FEATURE_FLAG_OVERRIDE', 'LOGFLARE_NODE_HOST', 'POSTGRES_BACKEND_SCHEMA', 'POSTGRES_BACKEND_URL'],
  ])
  expect(readSettings({ DB_HOSTNAME: 'db' }).unusedNames).toEqual([])
})

test.each([
  ['nothing set: none, on this machine only', {}, { compat: null, host: '127.0.0.1' }],
  ['our own name', { MILLRACE_COMPAT: 'supabase' }, { compat: 'supabase', host: '0.0.0.0' }],
  ['our own name wins', { MILLRACE_COMPAT: 'none', LOGFLARE_SUPABASE_MODE: 'true' }, { compat: null }],
  ['the old key may also ask', { LOGFLARE_API_KEY: 'k' }, { ingestToken: 'k', ingestScopes: 'ingest query' }],
  [
    'the old key beside the new one is only old',
    { LOGFLARE_API_KEY: 'k', LOGFLARE_PUBLIC_ACCESS_TOKEN: 'p' },
    { ingestToken: 'p', ingestScopes: 'ingest' },
  ],
  ["the container's port", { MILLRACE_COMPAT: 'supabase', PHX_HTTP_PORT: '4100' }, { port: 4100 }],
  ['our port wins', { MILLRACE_COMPAT: 'supabase', PHX_HTTP_PORT: '1', MILLRACE_PORT: '4200' }, { port: 4200 }],
  ['the port of another service', { PHX_HTTP_PORT: '4100' }, { port: 4000 }],
])('drop-in mode: %s', (_, env, expected) => expect(readSettings(env)).toMatchObject(expected))

test('a mode that nobody knows is refused', () => {
  expect(() => readSettings({ MILLRACE_COMPAT: 'elsewhere' })).toThrow('must be one of none, supabase')
})

test('sources live where MILLRACE_DEFAULT_BACKEND says, or the older name, which the drop-in leaves alone', () => {
  const older = { POSTGRES_BACKEND_URL: 'postgres://u@h/d', POSTGRES_BACKEND_SCHEMA: 'logs' }
  expect(readSettings({}).defaultHome).toBeNull()
  expect(readSettings(older).defaultHome).toEqual({ text: 'postgres://u@h/d', schema: 'logs' })
  expect(readSettings({ ...older, MILLRACE_DEFAULT_BACKEND: 'store' }).defaultHome?.text).toBe('store')
  expect(readSettings(CONTAINER).defaultHome).toBeNull()
})
