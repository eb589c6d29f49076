/** How long until a new service takes requests, and what it holds in memory when nobody sends any. */
import { setTimeout as wait } from 'node:timers/promises'
import { proportionalBytes, residentBytes } from '../machine.ts'
import { judge, type Line, median, megabytes } from '../table.ts'
import { type Scenario, startMeasured } from './scenario.ts'

const READY_WITHIN_MS = 1500
const IDLE_BYTES = 200e6
const STARTS = 3

export const start: Scenario = {
  name: 'start',
  async run() {
    const service = await startMeasured()
    try {
      await wait(5000)
      const idle = residentBytes(service.pid)
      const shared = proportionalBytes(service.pid)
      const readyMs: number[] = []
      for (let i = 0; i < STARTS; i++) {
        await service.restart()
        readyMs.push(service.readyMs)
      }
      return [readyLine('start to /ready, empty', median(readyMs), READY_WITHIN_MS), idleLine(idle, shared)]
    } finally {
      await service.remove()
    }
  },
}

export function readyLine(scenario: string, readyMs: number, withinMs: number): Line {
  return {
    scenario,
    ours: `${Math.round(readyMs)} ms`,
    target: `< ${withinMs} ms`,
    verdict: judge(readyMs < withinMs),
    scale: '',
    figures: { readyMs },
  }
}

function idleLine(idleBytes: number, proportional: number): Line {
  return {
    scenario: 'memory, idle',
    ours: megabytes(idleBytes),
    target: `≤ ${megabytes(IDLE_BYTES)}`,
    verdict: judge(idleBytes <= IDLE_BYTES),
    scale: `shared pages counted once: ${megabytes(proportional)}; comparable services 300 MB to 1.8 GB`,
    figures: { idleBytes, proportionalBytes: proportional },
  }
}
