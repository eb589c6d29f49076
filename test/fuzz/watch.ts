/** Watches a fuzz run from beside it: an input that never ends is kept, and the run is ended. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'

const { watched, folder }: { watched: SharedArrayBuffer; folder: string } = workerData
const head = new Int32Array(watched, 0, 2)
const place = new Uint8Array(watched, 8)
const EVERY_MS = 30_000

let last = -1
setInterval(() => {
  const now = Atomics.load(head, 0)
  if (now === last) {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `endless-${now}.bin`)
    writeFileSync(file, Uint8Array.from(place.subarray(0, head[1])))
    console.log(`an input took over ${EVERY_MS / 1000} s, kept as ${file}`)
    process.exit(1)
  }
  last = now
}, EVERY_MS)
