/** The first page of a search, newest first: its time must not grow with the history behind it. */
import { untilQuiet } from '../machine.ts'
import { judge, median, thousands } from '../table.ts'
import { createSource, fill, query, type Scenario, SOURCE, startMeasured, timed, whole } from './scenario.ts'

const GROWTH = 1.5
const WARM_UPS = 3
const RUNS = 11

export const newest: Scenario = {
  name: 'newest',
  async run({ pageEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      const pageMs: number[] = []
      let filled = 0
      for (const events of pageEvents) {
        await fill(service, filled, events)
        filled = events
        await untilQuiet(service.pid)
        const sql = `select id, timestamp, level, event_message from \`${SOURCE}\` where ${whole(events)} order by timestamp desc limit 100`
        for (let i = 0; i < WARM_UPS; i++) await query(service, sql)
        const allMs: number[] = []
        for (let i = 0; i < RUNS; i++) allMs.push(await timed(() => query(service, sql)))
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
