/**
 * The sources that the stack's senders write to, by the name they use, and the fields its dashboard asks for.
 * A query may only name fields that a source has, and the dashboard asks before the first event of a kind has come.
 */
import type { FieldType, FlatFields } from '../../model/fields.ts'

type Names = string

const texts = (names: Names): FlatFields => typed(names, 'string')
const integers = (names: Names): FlatFields => typed(names, 'integer')

function typed(names: Names, type: FieldType): FlatFields {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type] as const),
  )
}

/** An object and what is in it, parents before children. */
function object(path: string, ...fields: FlatFields[]): FlatFields {
  const inside = fields.flatMap((group) => Object.entries(group))
  return { [path]: 'object', ...Object.fromEntries(inside.map(([name, type]) => [`${path}.${name}`, type])) }
}

/** What every event of the stack has. */
const COMMON = texts('project appname')

export const SOURCES: Record<string, FlatFields> = {
  'cloudflare.logs.prod': {
    ...COMMON,
    ...object(
      'metadata',
      object(
        'request',
        texts('method path search protocol host url'),
        object('headers', texts('cf_connecting_ip cf_ipcountry referer user_agent x_client_info x_real_ip')),
        object('cf', texts('country')),
      ),
      object(
        'response',
        integers('status_code origin_time'),
        object('headers', texts('cf_cache_status content_length content_type x_sb_error_code')),
      ),
    ),
  },
  'postgres.logs': {
    ...COMMON,
    ...object(
      'metadata',
      texts('host'),
      object(
        'parsed',
        texts(`timestamp error_severity user_name database_name application_name connection_from command_tag
          backend_type session_id sql_state_code query detail hint context`),
        integers('process_id query_id'),
      ),
    ),
  },
  'deno-relay-logs': {
    ...COMMON,
    ...object(
      'metadata',
      texts('project_ref function_id deployment_id execution_id version'),
      integers('execution_time_ms'),
      object('request', texts('method pathname host url')),
      object('response', integers('status_code'), object('headers', texts('x_sb_edge_region'))),
    ),
  },
  'deno-subhosting-events': {
    ...COMMON,
    ...object(
      'metadata',
      texts('project_ref event_type function_id execution_id deployment_id level region timestamp'),
    ),
  },
  'gotrue.logs.prod': {
    ...COMMON,
    ...object('metadata', texts('level msg path method error time timestamp component'), integers('status')),
  },
  'realtime.logs.prod': { ...COMMON, ...object('metadata', texts('project external_id level')) },
  'storage.logs.prod.2': { ...COMMON, ...object('metadata', texts('project tenantId level reqId timestamp')) },
  'postgREST.logs.prod': { ...COMMON, ...object('metadata', texts('host')) },
  'pgbouncer.logs.prod': { ...COMMON, ...object('metadata', texts('host')) },
}
