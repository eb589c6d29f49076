import { Fault } from '../../base/faults.ts'
import { describeError } from '../../sql/describe.ts'

/** Runs work of the engine; its messages are put into words for the caller. */
export async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Fault && error.code === 'query_failed' ? describeError(error.message) : error
  }
}
