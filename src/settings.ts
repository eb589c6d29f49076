/** What an operator can set, read once from the environment. Every name, default and limit stands here. */
import { resolve } from 'node:path'
import { Fault } from './base/faults.ts'
import type { OtlpGrpcSettings } from './listeners/otlp-grpc/listener.ts'

export type Settings = {
  dataDir: string
  host: string
  port: number
  databaseUrl: string | null
  secretKey: string | null
  managementToken: string | null
  ingestToken: string | null
  vercelSecret: string | null
  /** Null: nothing listens for it. */
  otlpGrpc: OtlpGrpcSettings | null
  queryMemoryMb: number
  queryTimeoutMs: number
  maxUnloadedBytes: number
  backendHeldBytes: number
  useFilters: boolean
  logLevel: string
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

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

  return {
    dataDir: resolve(text('MILLRACE_DATA') ?? './data'),
    host: text('MILLRACE_HOST') ?? '127.0.0.1',
    port: integer('MILLRACE_PORT', 4000, 0, 65_535),
    databaseUrl: url('DATABASE_URL'),
    secretKey: text('MILLRACE_SECRET_KEY'),
    managementToken: text('MILLRACE_MANAGEMENT_TOKEN', 'LOGFLARE_PRIVATE_ACCESS_TOKEN'),
    ingestToken: text('MILLRACE_INGEST_TOKEN', 'LOGFLARE_PUBLIC_ACCESS_TOKEN'),
    vercelSecret: text('MILLRACE_VERCEL_SECRET'),
    otlpGrpc: otlpGrpc(),
    queryMemoryMb: integer('MILLRACE_QUERY_MEMORY_MB', 1024, 128, 1_048_576),
    queryTimeoutMs: integer('MILLRACE_QUERY_TIMEOUT_MS', 25_000, 100, 3_600_000),
    maxUnloadedBytes: integer('MILLRACE_MAX_UNLOADED_MB', 4096, 64, 1_048_576) * 1024 * 1024,
    backendHeldBytes: integer('MILLRACE_BACKEND_HELD_MB', 10_000, 128, 100_000_000) * 1_000_000,
    // Not for operation: the benchmark turns filters off to show what they are worth.
    useFilters: oneOf('MILLRACE_FILTERS', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf('MILLRACE_LOG_LEVEL', LOG_LEVELS, 'warn'),
  }
}
