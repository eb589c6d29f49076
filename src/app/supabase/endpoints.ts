/** The two endpoints the dashboard asks by name: its tables over the sources, and the figures of its front page. */
import type { NewEndpoint } from '../../model/endpoint.ts'

/** Where an event says which project it is of. */
const PROJECT_IN = {
  event: { join: '', field: 't.project' },
  ref: { join: '\n  cross join unnest(t.metadata) as m', field: 'm.project_ref' },
  metadata: { join: '\n  cross join unnest(t.metadata) as m', field: 'm.project' },
}

const TABLES: [name: string, source: string, project: keyof typeof PROJECT_IN][] = [
  ['edge_logs', 'cloudflare.logs.prod', 'event'],
  ['postgres_logs', 'postgres.logs', 'event'],
  ['function_edge_logs', 'deno-relay-logs', 'ref'],
  ['function_logs', 'deno-subhosting-events', 'ref'],
  ['auth_logs', 'gotrue.logs.prod', 'event'],
  ['realtime_logs', 'realtime.logs.prod', 'metadata'],
  ['storage_logs', 'storage.logs.prod.2', 'metadata'],
  ['postgrest_logs', 'postgREST.logs.prod', 'event'],
  ['pgbouncer_logs', 'pgbouncer.logs.prod', 'event'],
]

/** A bound that is blank or missing is none. The start is not included, the end is. */
function bound(parameter: string, sign: string): string {
  const text = `nullif(@${parameter}, '')`
  return `(${text} is null or t.timestamp ${sign} cast(${text} as timestamp))`
}

const tables = TABLES.map(
  ([name, source, project]) => `${name} as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from \`${source}\` as t${PROJECT_IN[project].join}
  where ${PROJECT_IN[project].field} = @project
    and ${bound('iso_timestamp_start', '>')}
    and ${bound('iso_timestamp_end', '<=')}
)`,
)

/** An hour by the minute, a day by the hour, a week by the day. */
const counted = (service: string): string =>
  `countif(regexp_contains(request.path, '^/${service}')) as total_${service}_requests`

const API_COUNTS = `with requests as (
  select
    case @interval
      when 'minutely' then timestamp_trunc(t.timestamp, minute)
      when 'daily' then timestamp_trunc(t.timestamp, day)
      else timestamp_trunc(t.timestamp, hour)
    end as period,
    ${['rest', 'storage', 'auth', 'realtime'].map(counted).join(',\n    ')}
  from \`cloudflare.logs.prod\` as t
  cross join unnest(t.metadata) as m
  cross join unnest(m.request) as request
  where t.project = @project
    and t.timestamp > case @interval
      when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
      when 'daily' then timestamp_sub(current_timestamp(), interval 7 day)
      else timestamp_sub(current_timestamp(), interval 24 hour)
    end
  group by period
)
select period as timestamp, total_rest_requests, total_storage_requests, total_auth_requests, total_realtime_requests
from requests
order by period`

const shared = { sandboxable: true, enable_auth: true, max_limit: 1000 }

export const ENDPOINTS: (NewEndpoint & { name: string })[] = [
  {
    ...shared,
    name: 'logs.all',
    description: 'The log tables of the dashboard.',
    cache_duration_seconds: 0,
    query: `with ${tables.join(',\n')}
select id, timestamp, event_message, metadata from edge_logs order by timestamp desc limit 100`,
  },
  {
    ...shared,
    name: 'usage.api-counts',
    description: 'Requests by service, for the front page of the dashboard.',
    cache_duration_seconds: 900,
    proactive_requerying_seconds: 300,
    query: API_COUNTS,
  },
]
