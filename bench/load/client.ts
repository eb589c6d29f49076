/**
 * Sends load from a process of its own. `prepareLoad` returns when all requests exist and all connections stand;
 * `go` sends them and answers what was measured. The clock runs only in between.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker, LoadJob, LoadResult, ToWorker } from './job.ts'

export async function prepareLoad(job: LoadJob): Promise<{ go(): Promise<LoadResult> }> {
  const worker = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), {
    execArgv: ['--max-old-space-size=8192'],
  })
  const tell = (message: ToWorker): void => {
    worker.send(message)
  }
  const hear = (): Promise<FromWorker> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`the load process ended with ${code}`))
      worker.once('exit', onExit)
      worker.once('message', (message: FromWorker) => {
        worker.off('exit', onExit)
        if (message.kind !== 'failed') return resolve(message)
        worker.kill()
        reject(new Error(`load: ${message.reason}`))
      })
    })
  const isPrepared = hear()
  tell({ kind: 'prepare', job })
  await isPrepared
  return {
    go: async () => {
      const answer = hear()
      tell({ kind: 'go' })
      const message = await answer
      if (message.kind !== 'done') throw new Error('the load process answered out of turn')
      return message.result
    },
  }
}

export async function sendLoad(job: LoadJob): Promise<LoadResult> {
  const load = await prepareLoad(job)
  return load.go()
}
