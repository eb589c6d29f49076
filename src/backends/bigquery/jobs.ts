/** Jobs of BigQuery: what a statement would read, and statements that run until they are through or time is over. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import type { LazyClient } from './client.ts'
import { type Column, ColumnList } from './columns.ts'
import type { BigqueryOptions } from './options.ts'

export type Parameter = {
  name: string
  parameterType: { type: string; arrayType?: { type: string } }
  parameterValue: { value?: string | null; arrayValues?: { value: string | null }[] }
}

export type Job = {
  text: string
  parameters?: Parameter[]
  labels?: Record<string, string>
  reservation?: string
}

export type Limits = { maxRows: number; maxBytes: number; timeoutMs: number; signal?: AbortSignal | undefined }

export type Found = { columns: Column[]; rows: unknown[]; bytes: number }

export type Jobs = {
  /** The bytes that a statement would read; it does not run. Refuses one that does more than read. */
  read(job: Job): Promise<number>
  /** Rows as BigQuery writes them, at most one more than `maxRows`. */
  run(job: Job, limits: Limits): Promise<Found>
  change(statement: string, timeoutMs: number): Promise<void>
}

const Count = z.coerce.number().catch(0)
const Made = z.object({
  statistics: z
    .object({ totalBytesProcessed: Count, query: z.object({ statementType: z.string().optional() }).optional() })
    .default({ totalBytesProcessed: 0 }),
})
const Page = z.object({
  jobComplete: z.boolean(),
  schema: z.object({ fields: ColumnList.default([]) }).optional(),
  rows: z.array(z.unknown()).default([]),
  pageToken: z.string().optional(),
  totalBytesProcessed: Count,
})

/** How long one question may wait for its answer; then the next one is asked. */
const WAIT_MS = 5_000
/** For one that answers at once that it is not ready. */
const BETWEEN_MS = 100

export const tookTooLong = (timeoutMs: number): Fault =>
  new Fault('bad_request', `the query took longer than ${timeoutMs / 1000} s; narrow its time range`)

export function createJobs({ options, client }: { options: BigqueryOptions; client: LazyClient }): Jobs {
  const { project_id: projectId, location } = options

  const query = ({ text, parameters = [] }: Job) => ({
    ...{ query: text, useLegacySql: false },
    ...(parameters.length > 0 ? { parameterMode: 'NAMED', queryParameters: parameters } : {}),
  })

  async function run(job: Job, { maxRows, maxBytes, timeoutMs, signal }: Limits): Promise<Found> {
    assertWanted(signal)
    const deadline = performance.now() + timeoutMs
    const jobId = `millrace_${randomUUID()}`
    await client.post('/jobs', {
      jobReference: { projectId, jobId, location },
      configuration: {
        query: { ...query(job), ...(maxBytes > 0 ? { maximumBytesBilled: String(maxBytes) } : {}) },
        jobTimeoutMs: String(timeoutMs),
        ...(job.labels ? { labels: job.labels } : {}),
        ...(job.reservation === undefined ? {} : { reservation: job.reservation }),
      },
    })
    const cancel = (): void => void client.post(`/jobs/${jobId}/cancel`, {}, { location }).catch(() => {})
    signal?.addEventListener('abort', cancel, { once: true })
    // It may have come while the job was made, when nobody listened.
    if (signal?.aborted) cancel()
    try {
      assertWanted(signal)
      const found: Found = { columns: [], rows: [], bytes: 0 }
      let pageToken: string | undefined
      do {
        const leftMs = Math.round(deadline - performance.now())
        if (leftMs <= 0) {
          cancel()
          throw tookTooLong(timeoutMs)
        }
        const page = Page.parse(
          await client.get(`/queries/${jobId}`, {
            ...{ location, maxResults: maxRows + 1 - found.rows.length, timeoutMs: Math.min(leftMs, WAIT_MS) },
            'formatOptions.useInt64Timestamp': true,
            ...(pageToken === undefined ? {} : { pageToken }),
          }),
        )
        assertWanted(signal)
        if (!page.jobComplete) {
          await wait(BETWEEN_MS)
          continue
        }
        found.rows.push(...page.rows)
        found.bytes = Math.max(found.bytes, page.totalBytesProcessed)
        if (page.schema) found.columns = page.schema.fields
        pageToken = page.pageToken
        if (pageToken === undefined) return found
      } while (found.rows.length <= maxRows)
      return found
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  return {
    async read(job) {
      const configuration = { dryRun: true, query: query(job), ...(job.labels ? { labels: job.labels } : {}) }
      const made = await client.post('/jobs', { jobReference: { projectId, location }, configuration })
      const { totalBytesProcessed, query: found } = Made.parse(made).statistics
      if (found?.statementType !== undefined && found.statementType !== 'SELECT')
        throw new Fault('bad_request', `only one statement that reads is allowed, not ${found.statementType}`)
      return totalBytesProcessed
    },
    run,
    async change(statement, timeoutMs) {
      await run({ text: statement }, { maxRows: 0, maxBytes: 0, timeoutMs })
    },
  }
}

function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Fault('query_failed', 'The query was cancelled.')
}
