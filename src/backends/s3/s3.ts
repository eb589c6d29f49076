/**
 * Parquet files in a bucket of S3, or of a service that speaks it, by source and hour of the events. A batch that is
 * repeated overwrites what it wrote before, so a crash at any moment leaves no event in two files.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { S3Client } from '@aws-sdk/client-s3'
import { Fault } from '../../base/faults.ts'
import { assertAllowed, guardedLookup } from '../address.ts'
import { defineKind, failed, type Outcome, type Surroundings } from '../kind.ts'
import { explain, needsHelp } from '../reason.ts'
import { columnsOf, objectsOf } from './encode.ts'
import { Options, type S3Options } from './options.ts'

/** A file takes longer than a request of other types. */
const PATIENCE = 6
const MOST_EVENTS = 100_000
/** Tells whether one may write, and is no Parquet file to those who read them all. */
const PROBE_KEY = '_connection_test'

export const s3 = defineKind({
  type: 's3',
  options: Options,
  secrets: ['secret_access_key'],
  batch: { events: MOST_EVENTS, bytes: 8_000_000 },
  connect(config, surroundings) {
    const { columns } = surroundings
    if (!columns) throw new Error('files of columns cannot be made here')
    const bucket = createBucket(config, surroundings)
    return {
      batch: {
        events: MOST_EVENTS,
        bytes: config.batch_bytes,
        afterMs: config.batch_timeout,
        wholeFrames: true,
      },
      async send(batch) {
        const shape = columnsOf(columns.fields(batch.source.token))
        for (const { key, rows } of objectsOf(batch, config.prefix)) {
          let file: Buffer
          try {
            file = await columns.parquet(rows, shape)
          } catch (error) {
            return unwritten(error)
          }
          try {
            await bucket.put(key, file)
          } catch (error) {
            return failed(bucket.explain(error), isForGood(error))
          }
        }
        return { kind: 'accepted' }
      },
      async probe() {
        try {
          await bucket.put([config.prefix, PROBE_KEY].filter(Boolean).join('/'), Buffer.from('written by a test\n'))
          return { ok: true }
        } catch (error) {
          return { ok: false, reason: probeReason(error), message: bucket.explain(error) }
        }
      },
      stop: () => bucket.stop(),
    }
  },
})

/** The library is large, and read when the first file goes out. */
function createBucket(config: S3Options, { timeoutMs, lookup = guardedLookup }: Surroundings) {
  const withinMs = timeoutMs * PATIENCE
  const options = { keepAlive: true, maxSockets: 4, lookup }
  const agents = { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) }
  const stopping = new AbortController()
  let opened: Promise<S3Client> | null = null

  async function open(): Promise<S3Client> {
    const { S3Client } = await import('@aws-sdk/client-s3')
    return new S3Client({
      region: config.storage_region,
      credentials: { accessKeyId: config.access_key_id, secretAccessKey: config.secret_access_key },
      ...(config.endpoint === undefined ? {} : { endpoint: config.endpoint }),
      forcePathStyle: config.path_style,
      requestHandler: agents,
      // Delivery has its own way of trying again.
      maxAttempts: 1,
      // Services other than AWS do not know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }

  return {
    async put(key: string, body: Buffer): Promise<void> {
      if (config.endpoint !== undefined) assertAllowed(new URL(config.endpoint).hostname)
      opened ??= open()
      const client = await opened
      const { PutObjectCommand } = await import('@aws-sdk/client-s3')
      const abortSignal = AbortSignal.any([stopping.signal, AbortSignal.timeout(withinMs)])
      await client.send(new PutObjectCommand({ Bucket: config.s3_bucket, Key: key, Body: body }), { abortSignal })
    },
    explain(error: unknown): string {
      if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
        return `no answer within ${withinMs} ms`
      const status = statusOf(error)
      if (status === null || !(error instanceof Error)) return explain(error)
      return `HTTP ${status}: ${error.name}${error.message && error.message !== error.name ? `: ${error.message}` : ''}`
    },
    stop(): void {
      stopping.abort()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** The status of the answer; null when there was none. */
function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null
  const metadata = error.$metadata
  const isTold = typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
  return isTold && typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null
}

/** No answer of a bucket is about single events, so none is refused: right settings make it go away. */
function isForGood(error: unknown): boolean {
  const status = statusOf(error)
  return status === null ? needsHelp(error) : status < 500 && status !== 408 && status !== 429
}

function probeReason(error: unknown): string {
  const status = statusOf(error)
  if (status === null) return 'unknown_error'
  if (status >= 500) return 'http_server_error'
  return status >= 400 ? 'http_client_error' : 'http_unknown_error'
}

/** Rows that the engine cannot write are the events' own fault; an engine that is gone is not. */
function unwritten(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof Fault && error.code === 'query_failed')
    return { kind: 'refused', reason: `cannot be written as Parquet: ${reason}` }
  return failed(`the file cannot be made now: ${reason}`)
}
