/** What an operator can set, read once from the environment. Every name, default and limit stands here. */
import { resolve } from 'node:path'
import type { OidcSettings } from './access/people/oidc.ts'
import type { DefaultHome } from './backends/homes.ts'
import { Fault } from './base/faults.ts'
import type { ForwardSettings } from './listeners/forward/listener.ts'
import type { OtlpGrpcSettings } from './listeners/otlp-grpc/listener.ts'
import type { TlsSettings } from './listeners/secure-server.ts'
import type { SyslogSettings } from './listeners/syslog/listener.ts'
import { Role } from './model/person.ts'

export type Settings = {
  dataDir: string
  host: string
  port: number
  databaseUrl: string | null
  /** Where other nodes reach this one; null: where it listens. */
  nodeAddress: string | null
  secretKey: string | null
  managementToken: string | null
  ingestToken: string | null
  ingestScopes: 'ingest' | 'ingest query'
  /** In whose place the service stands; null: nobody's. */
  compat: 'supabase' | null
  /** Names that are set for the service in whose place it stands, and mean nothing here. */
  unusedNames: string[]
  vercelSecret: string | null
  /** Null: the listener is off. */
  syslog: SyslogSettings | null
  forward: ForwardSettings | null
  /** Null: nothing listens for it. */
  otlpGrpc: OtlpGrpcSettings | null
  /** How people reach the service, without a slash at the end; links in mails begin with it. */
  publicUrl: string
  smtpUrl: string | null
  mailFrom: string | null
  oidc: OidcSettings | null
  sessionLife: { idleMs: number; longestMs: number }
  auditMs: number
  queryMemoryMb: number
  queryTimeoutMs: number
  maxUnloadedBytes: number
  backendHeldBytes: number
  /** Where new sources live; null: in the embedded warehouse. */
  defaultHome: DefaultHome | null
  useFilters: boolean
  runsAlerts: boolean
  /** Whether the service keeps its own figures and log lines as events. */
  monitorsItself: boolean
  logLevel: string
}

const DAY_MS = 86_400_000

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** What a container of the other service is given beside what is read here: its database, its warehouse, its cluster. */
const OF_THE_OTHER = /^(?:LOGFLARE|DB|PHX|GOOGLE|POSTGRES_BACKEND)_/
const UNDERSTOOD = new Set([
  'LOGFLARE_SINGLE_TENANT',
  'LOGFLARE_SUPABASE_MODE',
  'LOGFLARE_PUBLIC_ACCESS_TOKEN',
  'LOGFLARE_PRIVATE_ACCESS_TOKEN',
  'LOGFLARE_API_KEY',
  'PHX_HTTP_PORT',
])

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const text = (...names: string[]): string | null => {
    for (const name of names) {
      const value = env[name]
      if (value !== undefined && value !== '') return value
    }
    return null
  }

  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name)
    if (value === null) return fallback
    const number = Number(value)
    if (!Number.isInteger(number) || number < min || number > max)
      throw new Fault('setup', `${name} must be a whole number from ${min} to ${max}, but is "${value}".`)
    return number
  }

  const url = (name: string): string | null => {
    const value = text(name)
    if (value === null) return null
    if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value))
      throw new Fault('setup', `${name} must look like postgres://user:password@host:5432/database.`)
    return value
  }

  const oneOf = (name: string, words: string[], fallback: string): string => {
    const value = text(name) ?? fallback
    if (!words.includes(value))
      throw new Fault('setup', `${name} must be one of ${words.join(', ')}, but is "${value}".`)
    return value
  }

  const otlpGrpc = (): OtlpGrpcSettings | null => {
    if (text('MILLRACE_OTLP_GRPC_PORT') === null) return null
    const [certFile, keyFile] = [text('MILLRACE_OTLP_GRPC_TLS_CERT'), text('MILLRACE_OTLP_GRPC_TLS_KEY')]
    if ((certFile === null) !== (keyFile === null))
      throw new Fault('setup', 'MILLRACE_OTLP_GRPC_TLS_CERT and MILLRACE_OTLP_GRPC_TLS_KEY must be set together.')
    return {
      host: text('MILLRACE_OTLP_GRPC_HOST', 'MILLRACE_HOST') ?? '127.0.0.1',
      port: integer('MILLRACE_OTLP_GRPC_PORT', 4317, 0, 65_535),
      tls: certFile !== null && keyFile !== null ? { certFile, keyFile } : null,
    }
  }

  const address = (name: string, protocols: string[]): string | null => {
    const value = text(name)
    if (value === null) return null
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Fault('setup', `${name} must be an address that starts with ${protocols.join('// or ')}//.`)
    return value
  }

  const isDropIn =
    oneOf('MILLRACE_COMPAT', ['none', 'supabase'], env.LOGFLARE_SUPABASE_MODE === 'true' ? 'supabase' : 'none') ===
    'supabase'
  // A container that others wait for must be reached by them.
  const host = text('MILLRACE_HOST') ?? (isDropIn ? '0.0.0.0' : '127.0.0.1')
  const port = integer(isDropIn && text('MILLRACE_PORT') === null ? 'PHX_HTTP_PORT' : 'MILLRACE_PORT', 4000, 0, 65_535)
  const smtpUrl = address('MILLRACE_SMTP_URL', ['smtp:', 'smtps:'])
  const mailFrom = text('MILLRACE_MAIL_FROM')
  if ((smtpUrl === null) !== (mailFrom === null))
    throw new Fault('setup', 'MILLRACE_SMTP_URL and MILLRACE_MAIL_FROM belong together: set both or none.')

  const oidc = (): OidcSettings | null => {
    const issuer = address('MILLRACE_OIDC_ISSUER', ['https:', 'http:'])
    if (issuer === null) return null
    if (/^http:/.test(issuer) && !['localhost', '127.0.0.1', '[::1]'].includes(new URL(issuer).hostname))
      throw new Fault('setup', 'MILLRACE_OIDC_ISSUER must start with https://; http is for this machine only.')
    const clientId = text('MILLRACE_OIDC_CLIENT_ID')
    if (clientId === null) throw new Fault('setup', 'MILLRACE_OIDC_ISSUER needs MILLRACE_OIDC_CLIENT_ID.')
    const domains = text('MILLRACE_OIDC_ALLOWED_DOMAINS') ?? ''
    return {
      issuer,
      clientId,
      clientSecret: text('MILLRACE_OIDC_CLIENT_SECRET'),
      label: text('MILLRACE_OIDC_LABEL') ?? 'Single sign-on',
      allowedDomains: domains
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
      defaultRole: Role.parse(oneOf('MILLRACE_OIDC_DEFAULT_ROLE', ['viewer', 'member', 'admin'], 'viewer')),
    }
  }

  const defaultHome = (): DefaultHome | null => {
    // The dashboard of that stack sends queries of its own, which endpoints on PostgreSQL do not take.
    const older = isDropIn ? [] : ['POSTGRES_BACKEND_URL']
    const chosen = text('MILLRACE_DEFAULT_BACKEND', ...older)
    return chosen === null
      ? null
      : { text: chosen, schema: text('MILLRACE_DEFAULT_BACKEND_SCHEMA', 'POSTGRES_BACKEND_SCHEMA') }
  }

  /** A port that nothing listens on unless it is set. */
  const ownPort = (name: string): number | null => (text(name) === null ? null : integer(name, 0, 0, 65_535))

  const together = (name: string, needed: string): string => {
    const value = text(needed)
    if (value === null) throw new Fault('setup', `${name} is set, so ${needed} must be set too.`)
    return value
  }

  /** A port for TLS, and the settings that go with it. */
  const tlsOf = (port: string, cert: string, key: string, clientCa: string): TlsSettings | null => {
    const number = ownPort(port)
    if (number === null) return null
    return {
      port: number,
      certFile: together(port, cert),
      keyFile: together(port, key),
      clientCaFile: text(clientCa),
    }
  }

  const syslog = (): SyslogSettings | null => {
    const plain = ownPort('MILLRACE_SYSLOG_PORT')
    const tls = tlsOf(
      'MILLRACE_SYSLOG_TLS_PORT',
      'MILLRACE_SYSLOG_TLS_CERT',
      'MILLRACE_SYSLOG_TLS_KEY',
      'MILLRACE_SYSLOG_TLS_CLIENT_CA',
    )
    if (plain === null && tls === null) return null
    return {
      host,
      port: plain,
      tls,
      token: text('MILLRACE_SYSLOG_TOKEN'),
      source: text('MILLRACE_SYSLOG_SOURCE'),
    }
  }

  const forward = (): ForwardSettings | null => {
    const plain = ownPort('MILLRACE_FORWARD_PORT')
    const tls = tlsOf(
      'MILLRACE_FORWARD_TLS_PORT',
      'MILLRACE_FORWARD_TLS_CERT',
      'MILLRACE_FORWARD_TLS_KEY',
      'MILLRACE_FORWARD_TLS_CLIENT_CA',
    )
    if (plain === null && tls === null) return null
    const users = passwords('MILLRACE_FORWARD_USERS')
    if (users.length > 0) together('MILLRACE_FORWARD_USERS', 'MILLRACE_FORWARD_SHARED_KEY')
    return {
      host,
      port: plain,
      tls,
      token: together(plain === null ? 'MILLRACE_FORWARD_TLS_PORT' : 'MILLRACE_FORWARD_PORT', 'MILLRACE_FORWARD_TOKEN'),
      source: text('MILLRACE_FORWARD_SOURCE'),
      tagSources: pairs('MILLRACE_FORWARD_TAGS'),
      sharedKey: text('MILLRACE_FORWARD_SHARED_KEY'),
      users,
    }
  }

  /** Names and passwords. A fault does not repeat them, as it goes to a log. */
  const passwords = (name: string): [string, string][] =>
    (text(name)?.split(',') ?? []).map((pair, i) => {
      const sign = pair.indexOf('=')
      const user = pair.slice(0, Math.max(sign, 0)).trim()
      const password = pair.slice(sign + 1).trim()
      if (user === '' || password === '')
        throw new Fault('setup', `${name} must look like web=password,app=password, and pair ${i + 1} does not.`)
      return [user, password]
    })

  const pairs = (name: string): [string, string][] =>
    (text(name) ?? '')
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const [left = '', right = '', ...more] = pair.split('=').map((side) => side.trim())
        if (left === '' || right === '' || more.length > 0)
          throw new Fault('setup', `${name} must look like app.web=web,app.*=app, but has "${pair.trim()}".`)
        return [left, right]
      })

  const onlyOldKey =
    text('MILLRACE_INGEST_TOKEN', 'LOGFLARE_PUBLIC_ACCESS_TOKEN') === null && text('LOGFLARE_API_KEY') !== null

  return {
    dataDir: resolve(text('MILLRACE_DATA') ?? './data'),
    host,
    port,
    databaseUrl: url('DATABASE_URL'),
    nodeAddress: address('MILLRACE_NODE_ADDRESS', ['http:', 'https:']),
    defaultHome: defaultHome(),
    secretKey: text('MILLRACE_SECRET_KEY'),
    managementToken: text('MILLRACE_MANAGEMENT_TOKEN', 'LOGFLARE_PRIVATE_ACCESS_TOKEN'),
    ingestToken: text('MILLRACE_INGEST_TOKEN', 'LOGFLARE_PUBLIC_ACCESS_TOKEN', 'LOGFLARE_API_KEY'),
    // Stacks that know only the old name use one key for sending and for asking.
    ingestScopes: onlyOldKey ? 'ingest query' : 'ingest',
    compat: isDropIn ? 'supabase' : null,
    unusedNames: isDropIn
      ? Object.keys(env)
          .filter((name) => OF_THE_OTHER.test(name) && !UNDERSTOOD.has(name))
          .sort()
      : [],
    vercelSecret: text('MILLRACE_VERCEL_SECRET'),
    syslog: syslog(),
    forward: forward(),
    otlpGrpc: otlpGrpc(),
    publicUrl: (address('MILLRACE_PUBLIC_URL', ['http:', 'https:']) ?? `http://${hostInUrl(host)}:${port}`).replace(
      /\/+$/,
      '',
    ),
    smtpUrl,
    mailFrom,
    oidc: oidc(),
    sessionLife: {
      idleMs: integer('MILLRACE_SESSION_IDLE_DAYS', 14, 1, 365) * DAY_MS,
      longestMs: integer('MILLRACE_SESSION_MAX_DAYS', 90, 1, 400) * DAY_MS,
    },
    auditMs: integer('MILLRACE_AUDIT_DAYS', 90, 1, 3650) * DAY_MS,
    queryMemoryMb: integer('MILLRACE_QUERY_MEMORY_MB', 1024, 128, 1_048_576),
    queryTimeoutMs: integer('MILLRACE_QUERY_TIMEOUT_MS', 25_000, 100, 3_600_000),
    maxUnloadedBytes: integer('MILLRACE_MAX_UNLOADED_MB', 4096, 64, 1_048_576) * 1024 * 1024,
    backendHeldBytes: integer('MILLRACE_BACKEND_HELD_MB', 10_000, 128, 100_000_000) * 1_000_000,
    // Not for operation: the benchmark turns filters off to show what they are worth.
    useFilters: oneOf('MILLRACE_FILTERS', ['on', 'off'], 'on') === 'on',
    runsAlerts: oneOf('MILLRACE_ALERTS', ['on', 'off'], 'on') === 'on',
    monitorsItself: oneOf('MILLRACE_SYSTEM_MONITORING', ['on', 'off'], 'off') === 'on',
    logLevel: oneOf('MILLRACE_LOG_LEVEL', LOG_LEVELS, 'warn'),
  }
}

/** What listens on all addresses is reached by none of them. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
