/** Calls of an endpoint, ready for a shell. */
import type { EndpointRecord } from '../../api/records.ts'
import type { Query } from '../../shell/address.ts'

export type Snippet = { id: string; label: string; lead: string; code: string }

export function snippetsFor(
  { token, name, enable_auth, parameters, sandboxable }: EndpointRecord,
  { address, values }: { address: string; values: Query },
): Snippet[] {
  const filled = Object.fromEntries(parameters.map((parameter) => [parameter, values[parameter] ?? 'VALUE']))
  const query = parameters.length === 0 ? '' : `?${new URLSearchParams(filled)}`
  const url = (path: string, after = query): string => quoted(`${address}/api/endpoints/query/${path}${after}`)
  const auth = "  -H 'authorization: Bearer YOUR_TOKEN'"
  const lines = (...parts: (string | false)[]): string => parts.filter(Boolean).join(' \\\n')
  const body = quoted(JSON.stringify({ ...filled, ...(sandboxable ? { sql: 'select …' } : {}) }))
  return [
    {
      id: 'uuid',
      label: 'By UUID',
      lead: enable_auth
        ? 'Needs a token with the scope query, or one that may only call this endpoint.'
        : 'Needs no token: everybody who knows the address may call it.',
      code: lines(`curl ${url(token)}`, enable_auth && auth),
    },
    {
      id: 'name',
      label: 'By name',
      lead: enable_auth
        ? 'The name of an endpoint outlives a move to another service; its UUID may not.'
        : 'Works only after “Needs a token” is turned on in the settings.',
      code: lines(`curl ${url(encodeURIComponent(name))}`, auth),
    },
    {
      id: 'headers',
      label: 'With headers',
      lead: 'Which version answers, what is noted in the log, and whether IP addresses are hidden.',
      code: lines(
        `curl ${url(token)}`,
        enable_auth && auth,
        "  -H 'svc-endpoint-version: 1'",
        "  -H 'svc-endpoint-labels: team=shop'",
        "  -H 'svc-endpoint-redact-pii: true'",
      ),
    },
    {
      id: 'post',
      label: 'As POST',
      lead: sandboxable
        ? 'Values, and a query of the caller’s own, in a body that may be long.'
        : 'The same with the values in a body.',
      code: lines(
        `curl ${url(token, '')}`,
        enable_auth && auth,
        "  -H 'content-type: application/json'",
        `  -d ${body}`,
      ),
    },
  ]
}

/** For a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
