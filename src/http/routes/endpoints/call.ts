import type { IncomingHttpHeaders } from 'node:http'
import type { Call } from '../../../endpoints/call.ts'
import { readVersion } from '../../../endpoints/versions.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import { serviceHeader } from '../../aliases.ts'
import type { Allowed } from './allowed.ts'
import type { Asked } from './asked.ts'

/** The request as endpoints know it. */
export function callOf(
  { endpoint, token }: Allowed,
  { values, sql, lql }: Asked,
  headers: IncomingHttpHeaders,
  signal: () => AbortSignal,
): Call {
  return {
    endpoint,
    version: readVersion(serviceHeader(headers, 'endpoint-version')),
    values,
    sql,
    lql,
    labels: serviceHeader(headers, 'endpoint-labels'),
    reservation: serviceHeader(headers, 'endpoint-warehouse-reservation'),
    token,
    signal,
  }
}

/** Absent: as the endpoint says. Present: on when it says true. */
export function wantsRedaction(headers: IncomingHttpHeaders, { redact_pii }: Endpoint): boolean {
  const header = serviceHeader(headers, 'endpoint-redact-pii')
  return header === undefined ? redact_pii : header.trim().toLowerCase() === 'true'
}
