/**
 * Batches of 1000 events with durable answers, against DuckDB alone on the same file. The yardstick is taken before and
 * after, because the speed of a shared machine drifts; the mean of both stands for the moment in between.
 * CPU is that of the whole process tree until the warehouse has nothing left to load.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { measureParquet, type ParquetResult } from '../baseline/parquet.ts'
import { dataFolder, eventFile } from '../data/files.ts'
import { prepareLoad } from '../load/client.ts'
import type { LoadResult } from '../load/job.ts'
import { cpuSeconds, untilQuiet, watchMemory } from '../machine.ts'
import { judge, type Line, megabytes, thousands, times } from '../table.ts'
import { createSource, loadJob, type Scenario, startMeasured } from './scenario.ts'

const SPEED_RATIO = 0.45
const CPU_RATIO = 2
const MEMORY_BYTES = 700e6
const SIZE_RATIO = 6.5

type Ours = { load: LoadResult; cpuSeconds: number; memoryBytes: number; storedBytes: number }

export const ingest: Scenario = {
  name: 'ingest',
  async run({ ingestEvents }) {
    const file = await eventFile(0, ingestEvents)
    const before = await measureYardstick(file)
    const ours = await measureOurs(file)
    const after = await measureYardstick(file)
    const alone: ParquetResult = {
      seconds: (before.seconds + after.seconds) / 2,
      cpuSeconds: (before.cpuSeconds + after.cpuSeconds) / 2,
      parquetBytes: after.parquetBytes,
    }
    return [
      speedLine(ours, alone, ingestEvents),
      cpuLine(ours, alone, ingestEvents),
      memoryLine(ours),
      sizeLine(ours, alone),
    ]
  },
}

async function measureYardstick(file: string): Promise<ParquetResult> {
  const parquet = join(dataFolder, `yardstick-${process.pid}.parquet`)
  try {
    return await measureParquet(file, parquet)
  } finally {
    rmSync(parquet, { force: true })
  }
}

async function measureOurs(file: string): Promise<Ours> {
  const service = await startMeasured()
  try {
    await createSource(service)
    await untilQuiet(service.pid)
    const load = await prepareLoad(loadJob(service, file))
    const cpuBefore = cpuSeconds(service.pid)
    const stopWatching = watchMemory(service.pid)
    const result = await load.go()
    const memoryBytes = stopWatching()
    await untilQuiet(service.pid)
    return {
      load: result,
      cpuSeconds: cpuSeconds(service.pid) - cpuBefore,
      memoryBytes,
      storedBytes: bytesOf(join(service.dataDir, 'warehouse'), ['.parquet', '.filter']),
    }
  } finally {
    await service.remove()
  }
}

function bytesOf(folder: string, endings: string[]): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .reduce((total, name) => total + statSync(join(folder, name)).size, 0)
}

function speedLine({ load }: Ours, alone: ParquetResult, events: number): Line {
  const perSecond = load.events / load.seconds
  const ratio = perSecond / (events / alone.seconds)
  const refused = load.refused > 0 ? `, ${load.refused} REFUSED (${load.refusal})` : ''
  return {
    scenario: 'ingest, batches of 1000',
    ours: `${thousands(perSecond)}/s = ${times(ratio)}${refused}`,
    target: `≥ ${times(SPEED_RATIO)} DuckDB alone`,
    verdict: judge(ratio >= SPEED_RATIO && load.refused === 0),
    scale: `DuckDB alone here ${thousands(events / alone.seconds)}/s; elsewhere VictoriaLogs 82k, Loki 82k to 167k, ClickHouse 197k`,
    figures: {
      perSecond,
      ratio,
      refused: load.refused,
      p50Ms: load.p50Ms,
      p99Ms: load.p99Ms,
      clientCpuSeconds: load.cpuSeconds,
    },
  }
}

function cpuLine(ours: Ours, alone: ParquetResult, events: number): Line {
  const perMillion = (ours.cpuSeconds / events) * 1e6
  const alonePerMillion = (alone.cpuSeconds / events) * 1e6
  const ratio = perMillion / alonePerMillion
  return {
    scenario: 'ingest, CPU s per million',
    ours: `${perMillion.toFixed(1)} = ${times(ratio)}`,
    target: `≤ ${times(CPU_RATIO)} DuckDB alone`,
    verdict: judge(ratio <= CPU_RATIO),
    scale: `DuckDB alone here ${alonePerMillion.toFixed(1)}; elsewhere VictoriaLogs 23, Loki 11.5 to 23.5, ClickHouse 9.8 to 18.4`,
    figures: { perMillion, alonePerMillion, ratio },
  }
}

function memoryLine({ memoryBytes }: Ours): Line {
  return {
    scenario: 'memory, at full rate',
    ours: megabytes(memoryBytes),
    target: `≤ ${megabytes(MEMORY_BYTES)}`,
    verdict: judge(memoryBytes <= MEMORY_BYTES),
    scale: '',
    figures: { memoryBytes },
  }
}

function sizeLine({ storedBytes, load }: Ours, alone: ParquetResult): Line {
  // No parts at all would look like a perfect score.
  const ratio = storedBytes > 0 ? load.bytes / storedBytes : 0
  return {
    scenario: 'stored size',
    ours: `1/${ratio.toFixed(1)} of the JSON`,
    target: `≤ 1/${SIZE_RATIO}`,
    verdict: judge(ratio >= SIZE_RATIO),
    scale: `DuckDB alone here 1/${(load.bytes / alone.parquetBytes).toFixed(1)}; elsewhere VictoriaLogs 1/5.9, ClickHouse 1/6.7, Loki 1/2.9`,
    figures: { storedBytes, sentBytes: load.bytes, ratio },
  }
}
