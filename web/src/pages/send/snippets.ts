/** Ready-to-run examples of the usual senders, filled with the real address, source and token. */
export type Sender = { address: string; token: string; source: string }
export type Snippet = { id: string; label: string; lead: string; code: string }

export function snippetsFor({ address, token, source }: Sender): Snippet[] {
  return [
    {
      id: 'curl',
      label: 'curl',
      lead: 'Paste it into a terminal.',
      code: `curl '${address}/api/logs?source=${source}' \\
  -H 'X-API-KEY: ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"message":"hello, world","metadata":{"level":"info"}}'`,
    },
    {
      id: 'pino',
      label: 'pino',
      lead: 'Node services: npm install pino pino-logflare',
      code: `import { pino } from 'pino'

const log = pino({
  transport: {
    target: 'pino-logflare',
    options: {
      apiBaseUrl: '${address}',
      apiKey: '${token}',
      sourceToken: '${source}',
    },
  },
})

log.info({ user: { id: 42 } }, 'hello, world')`,
    },
    {
      id: 'otel',
      label: 'OpenTelemetry',
      lead: 'Environment of any program with an OpenTelemetry SDK.',
      code: `OTEL_LOGS_EXPORTER=otlp
OTEL_EXPORTER_OTLP_ENDPOINT=${address}
OTEL_EXPORTER_OTLP_PROTOCOL=http/json
OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${token},x-source=${source}`,
    },
    {
      id: 'vector',
      label: 'Vector',
      lead: 'A sink for vector.yaml; put your own input.',
      code: `sinks:
  millrace:
    type: http
    inputs: [my_source]
    uri: ${address}/api/logs?source=${source}
    encoding: { codec: json }
    compression: gzip
    request:
      headers: { X-API-KEY: "${token}" }`,
    },
    {
      id: 'syslog',
      label: 'Syslog',
      lead: 'Syslog lines over HTTP; drains such as Heroku’s take the same address.',
      code: `logger --stderr --no-act --rfc5424 'hello, world' 2>&1 |
  curl --data-binary @- '${address}/api/logs/syslogs?source=${source}&api_key=${token}'`,
    },
  ]
}
