/** Runs one statement that was checked: asks first what it would read, and refuses what is above the limit. */
import { Fault } from '../../base/faults.ts'
import type { Store } from '../kind.ts'
import { isoMicroseconds } from '../time.ts'
import { failureOf, faultOf } from './failures.ts'
import { type Jobs, tookTooLong } from './jobs.ts'
import { cleanLabels } from './labels.ts'
import { type BigqueryOptions, MEBIBYTE } from './options.ts'
import { parametersOf } from './parameters.ts'
import { checkReservation } from './reservation.ts'
import { qualified } from './tables.ts'
import { readRow, typeName } from './values.ts'

/** Its own time-out may come before ours. */
const TIMED_OUT = /job timed out/i

export function createStore({ options, jobs }: { options: BigqueryOptions; jobs: Jobs }): Store {
  return {
    dialect: 'bigquery',
    table: (token, keptFromUs) =>
      `(SELECT * FROM ${qualified(options, token)} WHERE timestamp >= TIMESTAMP '${isoMicroseconds(keptFromUs)}')`,
    place: (number) => `@p${number}`,
    async query({ text, labels, maxRows, timeoutMs, reservation, ...bound }, signal) {
      const startedAt = performance.now()
      if (reservation !== undefined) checkReservation(reservation, options)
      const job = {
        text,
        parameters: parametersOf(bound),
        labels: { ...cleanLabels(labels), managed_by: 'millrace' },
        ...(reservation === undefined ? {} : { reservation }),
      }
      try {
        assertCheap(await jobs.read(job), options.max_query_bytes)
        const limits = { maxRows, timeoutMs, signal, maxBytes: options.max_query_bytes }
        const { columns, rows, bytes } = await jobs.run(job, limits)
        const kept = rows.slice(0, maxRows).map((row) => readRow(row, columns))
        return {
          json: Buffer.from(JSON.stringify(kept)),
          cost: {
            rows: kept.length,
            ms: Math.round(performance.now() - startedAt),
            truncated: rows.length > kept.length,
            bytesScanned: bytes,
            columns: columns.map((column) => ({ name: column.name, type: typeName(column) })),
          },
        }
      } catch (error) {
        if (TIMED_OUT.test(failureOf(error).message)) throw tookTooLong(timeoutMs)
        throw faultOf(error)
      }
    },
  }
}

function assertCheap(bytes: number, most: number): void {
  if (bytes <= most) return
  throw new Fault(
    'bad_request',
    `the query would read ${amount(bytes)}, and this backend allows ${amount(most)}; narrow its time range or name fewer fields`,
  )
}

const amount = (bytes: number): string => `${bytes} bytes (${Math.round(bytes / MEBIBYTE)} MiB)`
