/** The first page of a search, newest first: its time must not grow with the history behind it. */

import type { Service } from '../../test/support/service.ts'
import { untilQuiet } from '../machine.ts'
import { judge, median, thousands } from '../table.ts'
import { createSource, fill, type Scenario, startMeasured, timed } from './scenario.ts'

const GROWTH = 1.5
const WARM_UPS = 3
const RUNS = 11
const PAGE = 100

export const newest: Scenario = {
  name: 'newest',
  async run({ pageEvents }) {
    const service = await startMeasured()
    try {
      const token = await createSource(service)
      const pageMs: number[] = []
      let filled = 0
      for (const events of pageEvents) {
        await fill(service, filled, events)
        filled = events
        await untilQuiet(service.pid)
        for (let i = 0; i < WARM_UPS; i++) await firstPage(service, token)
        const allMs: number[] = []
        for (let i = 0; i < RUNS; i++) allMs.push(await timed(() => firstPage(service, token)))
        pageMs.push(median(allMs))
      }
      const growth = pageMs.at(-1)! / pageMs[0]!
      return [
        {
          scenario: 'newest 100 as history grows',
          ours: `${pageMs.map((ms) => `${ms.toFixed(1)} ms`).join(', ')} = ${growth.toFixed(2)} ×`,
          target: `≤ ${GROWTH} ×`,
          verdict: judge(growth <= GROWTH),
          scale: `at ${pageEvents.map(thousands).join(', ')} events`,
          figures: { growth, firstMs: pageMs[0]!, lastMs: pageMs.at(-1)!, events: filled },
        },
      ]
    } finally {
      await service.remove()
    }
  },
}

async function firstPage(service: Service, token: string): Promise<void> {
  const answer = await service.fetch(`/api/sources/${token}/search?limit=${PAGE}`)
  const { events }: { events?: unknown[] } = JSON.parse(await answer.text())
  if (events?.length !== PAGE) throw new Error(`the search gave ${events?.length ?? answer.status} events`)
}
