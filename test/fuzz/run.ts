/**
 * `npm run fuzz`: wrong inputs for as long as you like. Options: `--minutes N` (default 60), `--seed N` to see the same
 * inputs again. What breaks is written to `fuzz-findings/`, one file for each input, and the exit code is 1.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type Finding, fuzz } from './fuzz.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 60)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const FOLDER = 'fuzz-findings'
const INPUTS_PER_ROUND = 100_000

function keep({ target, number, problem, input }: Finding): void {
  mkdirSync(FOLDER, { recursive: true })
  const file = `${FOLDER}/${target.replace(/\W+/g, '-')}-${seed}-${number}.bin`
  writeFileSync(file, input)
  console.log(`${target}: ${problem}\n  seed ${seed}, input ${number}, kept as ${file}`)
}

/** An input that never ends stops this thread, so another one watches, and keeps it. */
const MAX_INPUT_BYTES = 16_384
const watched = new SharedArrayBuffer(8 + MAX_INPUT_BYTES)
const head = new Int32Array(watched, 0, 2)
const place = new Uint8Array(watched, 8)
new Worker(new URL('./watch.ts', import.meta.url), { workerData: { watched, folder: FOLDER } }).unref()

const endsAt = performance.now() + minutes * 60_000
let inputs = 0
let found = 0
while (performance.now() < endsAt) {
  const round = await fuzz({
    seed: seed + inputs,
    goesOn: (number) => number < INPUTS_PER_ROUND && performance.now() < endsAt,
    onInput(_, input) {
      place.set(input.subarray(0, MAX_INPUT_BYTES))
      head[1] = input.length
      Atomics.add(head, 0, 1)
    },
  })
  for (const finding of round.findings) keep({ ...finding, number: inputs + finding.number })
  inputs += round.inputs
  found += round.findings.length
  const megabytes = Math.round(process.memoryUsage().rss / 1e6)
  console.log(`${inputs} inputs, ${found} findings (seed ${seed}, ${megabytes} MB)`)
}
process.exitCode = found === 0 ? 0 : 1
