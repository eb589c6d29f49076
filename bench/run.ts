/**
 * `npm run bench [-- --quick | --large] [-- --only name]`: builds, measures the built service scenario by scenario,
 * prints one table and writes the figures to `bench/results/`. A scenario that fails is a line that misses, not an end.
 * How to read the table: `bench/README.md`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, machineName } from './machine.ts'
import { delivery } from './scenarios/delivery.ts'
import { durability } from './scenarios/durability.ts'
import { endpoint } from './scenarios/endpoint.ts'
import { heavy } from './scenarios/heavy.ts'
import { ingest } from './scenarios/ingest.ts'
import { newest } from './scenarios/newest.ts'
import { protocols } from './scenarios/protocols.ts'
import { queries } from './scenarios/queries.ts'
import { rules } from './scenarios/rules.ts'
import type { Scenario, Sizes } from './scenarios/scenario.ts'
import { single } from './scenarios/single.ts'
import { start } from './scenarios/start.ts'
import { stores } from './scenarios/stores.ts'
import { syslog } from './scenarios/syslog.ts'
import { tail } from './scenarios/tail.ts'
import { formatTable, type Line } from './table.ts'

const scenarios: Scenario[] = [
  start,
  ingest,
  single,
  rules,
  protocols,
  queries,
  newest,
  endpoint,
  heavy,
  durability,
  tail,
  syslog,
  delivery,
  stores,
]

const usual: Sizes = {
  ingestEvents: 1_000_000,
  singleRequests: 60_000,
  queryEvents: 2_000_000,
  durableEvents: 200_000,
  cachedRequests: 200_000,
  datagrams: 1_200_000,
  pageEvents: [200_000, 1_000_000, 2_000_000],
}
const quick: Sizes = {
  ingestEvents: 200_000,
  singleRequests: 10_000,
  queryEvents: 200_000,
  durableEvents: 50_000,
  cachedRequests: 40_000,
  datagrams: 200_000,
  pageEvents: [50_000, 200_000],
}
const large: Sizes = { ...usual, pageEvents: [1_000_000, 50_000_000] }

const { values: asked } = parseArgs({
  options: { quick: { type: 'boolean' }, large: { type: 'boolean' }, only: { type: 'string', multiple: true } },
})
const size = asked.large ? 'large' : asked.quick ? 'quick' : 'usual'
const sizes = { usual, quick, large }[size]
const names = scenarios.map((scenario) => scenario.name)
const unknown = asked.only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(', ')}; there are ${names.join(', ')}.`)
  process.exit(1)
}

const root = join(import.meta.dirname, '..')
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json', '--tsBuildInfoFile', 'dist/.tsbuildinfo'],
  {
    cwd: root,
    stdio: 'inherit',
  },
)

const lines: Line[] = []
for (const scenario of scenarios) {
  if (asked.only && !asked.only.includes(scenario.name)) continue
  console.log(`${scenario.name} …`)
  lines.push(...(await scenario.run(sizes).catch((error: Error) => [failed(scenario.name, error)])))
}

const machine = describeMachine()
console.log(
  `\n${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, ${size} sizes\n`,
)
console.log(formatTable(lines))
writeResults()
process.exit(lines.some((line) => line.verdict === 'misses') ? 1 : 0)

function failed(name: string, error: Error): Line {
  console.error(error)
  return { scenario: name, ours: error.message.split('\n')[0]!, target: '', verdict: 'misses', scale: '', figures: {} }
}

function writeResults(): void {
  const folder = join(root, 'bench/results')
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  // A partial or small run must not pass for the full one of the same day.
  const kind = [size === 'usual' ? [] : size, asked.only ?? []].flat().join('-')
  const path = join(folder, `${[at.slice(0, 10), machineName(), kind].filter(Boolean).join('-')}.json`)
  writeFileSync(path, `${JSON.stringify({ at, size, sizes, machine, lines }, null, 2)}\n`)
  console.log(`\nFigures: bench/results/${path.slice(folder.length + 1)}`)
}
