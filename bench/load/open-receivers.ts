/** Receivers in a process of their own, which take everything. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromReceivers } from './receivers.ts'

export async function openReceivers(): Promise<FromReceivers & { close(): void }> {
  const worker = fork(fileURLToPath(new URL('./receivers.ts', import.meta.url)))
  const listening = await new Promise<FromReceivers>((resolve, reject) => {
    worker.once('message', (message: FromReceivers) => resolve(message))
    worker.once('exit', (code) => reject(new Error(`the receivers' process ended with ${code}`)))
  })
  return { ...listening, close: () => worker.disconnect() }
}
