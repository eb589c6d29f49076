/** Addresses of stores, as an operator writes them in one line: which type of backend, and its config. */
import { Fault } from '../base/faults.ts'
import type { Options } from './kind.ts'

const SCHEME = /^(postgres|postgresql|clickhouse|clickhouses|bigquery):\/\//i

const FORMS =
  'postgres://user:password@host:5432/database, clickhouse://user:password@host:8123/database (clickhouses:// for TLS) or bigquery://project/dataset'

export const isHomeAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

export function readHomeAddress(text: string, schema: string | null): { type: string; config: Options } {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !URL.canParse(text)) throw unreadable('')
  // Of schemes that it does not know, URL leaves the parts as they are written.
  const at = new URL(text)
  if (at.hostname === '' && !at.searchParams.has('host')) throw unreadable(' It has no host.')
  if (scheme.startsWith('postgres')) return { type: 'postgres', config: { url: text, ...(schema ? { schema } : {}) } }
  return scheme === 'bigquery' ? bigquery(at) : clickhouse(at, scheme === 'clickhouses')
}

function clickhouse(at: URL, isTls: boolean): { type: string; config: Options } {
  const database = part(at.pathname.slice(1))
  const [username, password] = [part(at.username), part(at.password)]
  const port = at.port || (isTls ? '8443' : '8123')
  return {
    type: 'clickhouse',
    config: {
      url: `${isTls ? 'https' : 'http'}://${at.hostname}:${port}`,
      ...(database ? { database } : {}),
      ...(username ? { username, password } : {}),
      ...Object.fromEntries([...at.searchParams].map(([name, value]) => [name, value === 'true' ? true : value])),
    },
  }
}

function bigquery(at: URL): { type: string; config: Options } {
  const dataset = part(at.pathname.slice(1))
  if (dataset === '') throw unreadable(' It has no dataset.')
  return { type: 'bigquery', config: { project_id: at.hostname, dataset_id: dataset } }
}

function part(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw unreadable(` "${text}" is not percent-encoded.`)
  }
}

const unreadable = (more: string): Fault =>
  new Fault('setup', `MILLRACE_DEFAULT_BACKEND must be the name of a backend, or look like ${FORMS}.${more}`)
