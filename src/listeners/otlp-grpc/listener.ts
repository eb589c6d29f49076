/**
 * OTLP over gRPC: the three `Export` services of the Collector.
 *
 * Promises: events take the way of a request over HTTP (token, scope, quota, pipeline, journal) and get the same sentences;
 * a call is answered once its events are durable. Nothing of a message is read before its sender is known.
 * Refuses: messages over 12 MB, as sent or unpacked; calls while the service stops (`UNAVAILABLE`, to be repeated).
 */
import { readFileSync } from 'node:fs'
import type { Metadata, Server, ServerCredentials, ServiceDefinition } from '@grpc/grpc-js'
import type { Access } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import { createBudget } from '../../http/ingest/budget.ts'
import { headerSource, sourceOf } from '../../http/ingest/named-source.ts'
import { exportResponse, refusedOf } from '../../http/ingest/protocols/otlp.ts'
import type { Storing } from '../../http/ingest/storing.ts'
import type { Format } from '../../ingest/formats/format.ts'
import { formats } from '../../ingest/formats/formats.ts'
import { MAX_WIRE_BYTES } from '../../ingest/limits.ts'
import type { Listener } from '../listener.ts'
import { isOwnFault, statusOf } from './status.ts'

export type OtlpGrpcSettings = { host: string; port: number; tls: { certFile: string; keyFile: string } | null }

type Parts = {
  settings: OtlpGrpcSettings
  access: Access
  storing: Storing
  /** Throws when no events can be taken now. */
  assertOpen(): void
  /** Told of calls that failed for a reason of our own. */
  onError(error: unknown): void
}

export type OtlpGrpcListener = Listener & { health(): { is_listening: boolean } }

const SERVICES: [string, Format][] = [
  ['opentelemetry.proto.collector.logs.v1.LogsService', formats['otlp-logs']],
  ['opentelemetry.proto.collector.trace.v1.TraceService', formats['otlp-traces']],
  ['opentelemetry.proto.collector.metrics.v1.MetricsService', formats['otlp-metrics']],
]

/** Messages that are worked on at once. */
const HELD_BYTES_MAX = 64 * 1024 * 1024
/** Calls of one connection at once; exporters use a few. */
const CALLS_MAX = 100
/** Calls under way get this long to finish. */
const DRAIN_MS = 6_000

export function createOtlpGrpcListener(parts: Parts): OtlpGrpcListener {
  const { settings, access, storing, assertOpen, onError } = parts
  const budget = createBudget(HELD_BYTES_MAX)
  let server: Server | null = null

  const identify = async (metadata: Metadata) => {
    const identity = await access.identify(access.present(headersOf(metadata), {}))
    assertOpen()
    return identity
  }

  async function take(format: Format, body: Buffer, metadata: Metadata): Promise<Buffer> {
    const identity = await identify(metadata)
    const share = budget.open()
    try {
      share.hold(body.length)
      const headers = { ...headersOf(metadata), 'content-type': 'application/x-protobuf' }
      const named = headerSource(headers)
      const visitor = { identity, answersParts: false, tell: () => {} }
      const delivery = { format, body, headers }
      if (named === null && format.split)
        return exportResponse(refusedOf(await storing.parts(format.split(body, headers), delivery, visitor)))
      const receipt = await storing.one(await sourceOf(access, identity, named), delivery, visitor)
      return exportResponse(refusedOf([{ part: null, receipt }]))
    } finally {
      share.release()
    }
  }

  /** Loaded when it is asked for: most services never are. */
  async function build(): Promise<{ server: Server; credentials: ServerCredentials }> {
    const grpc = await import('@grpc/grpc-js')
    const tell = (error: unknown) => {
      if (isOwnFault(error)) onError(error)
      return statusOf(error, () => new grpc.Metadata())
    }
    const built = new grpc.Server({
      'grpc.max_receive_message_length': MAX_WIRE_BYTES,
      'grpc.max_concurrent_streams': CALLS_MAX,
      interceptors: [
        (_, call) =>
          new grpc.ServerInterceptingCall(call, {
            start: (next) =>
              next({
                onReceiveMetadata: (metadata, pass) => {
                  identify(metadata).then(
                    () => pass(metadata),
                    (error: unknown) => call.sendStatus(tell(error)),
                  )
                },
              }),
          }),
      ],
    })
    for (const [name, format] of SERVICES) {
      built.addService(serviceOf(name), {
        Export(call: { request: Buffer; metadata: Metadata }, done: (error: object | null, answer?: Buffer) => void) {
          take(format, call.request, call.metadata).then(
            (answer) => done(null, answer),
            (error: unknown) => done(tell(error)),
          )
        },
      })
    }
    const { tls } = settings
    if (tls === null) return { server: built, credentials: grpc.ServerCredentials.createInsecure() }
    const pair = { private_key: readFile(tls.keyFile), cert_chain: readFile(tls.certFile) }
    return { server: built, credentials: grpc.ServerCredentials.createSsl(null, [pair]) }
  }

  return {
    health: () => ({ is_listening: server !== null }),
    async start() {
      const built = await build()
      server = built.server
      const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
      return `${host}:${await bind(built.server, built.credentials, host, settings.port)}`
    },
    async stop() {
      const running = server
      server = null
      if (!running) return
      await new Promise<void>((resolve) => {
        const cutOff = setTimeout(() => {
          running.forceShutdown()
          resolve()
        }, DRAIN_MS)
        running.tryShutdown(() => {
          clearTimeout(cutOff)
          resolve()
        })
      })
    },
  }
}

/** Messages stay bytes: the formats read them. */
function serviceOf(name: string): ServiceDefinition {
  const asIs = (bytes: Buffer): Buffer => bytes
  return {
    Export: {
      path: `/${name}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  }
}

/** Metadata as the headers that they are; binary ones are nobody's here. */
function headersOf(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(metadata.getMap())) if (typeof value === 'string') headers[name] = value
  return headers
}

function bind(server: Server, credentials: ServerCredentials, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, credentials, (error, bound) => {
      if (error) reject(bindFault(error, host, port))
      else resolve(bound)
    })
  })
}

function bindFault({ message }: Error, host: string, port: number): Fault {
  if (message.includes('EADDRINUSE'))
    return new Fault(
      'setup',
      `Port ${port} on ${host} is already in use. Stop the other program, or change MILLRACE_OTLP_GRPC_PORT.`,
    )
  if (message.includes('EACCES'))
    return new Fault(
      'setup',
      `This user may not listen on port ${port}. Set MILLRACE_OTLP_GRPC_PORT to one above 1023.`,
    )
  return new Fault('setup', `MILLRACE_OTLP_GRPC_PORT: cannot listen on ${host}:${port}.`, message)
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Fault('setup', `The file ${path} of MILLRACE_OTLP_GRPC_TLS_CERT or _KEY cannot be read.`, error)
  }
}
