/** Senders that do not batch: one event per request, 64 connections, each waiting for its durable answer. */
import { eventFile } from '../data/files.ts'
import { sendLoad } from '../load/client.ts'
import { judge, thousands } from '../table.ts'
import { createSource, loadJob, type Scenario, startMeasured } from './scenario.ts'

const CONNECTIONS = 64
const PER_SECOND = 12_000
const P99_MS = 50

export const single: Scenario = {
  name: 'single',
  async run({ singleRequests }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      const file = await eventFile(0, singleRequests)
      const { requests, refused, refusal, seconds, p50Ms, p99Ms } = await sendLoad(
        loadJob(service, file, { connections: CONNECTIONS, eventsPerRequest: 1 }),
      )
      const perSecond = (requests - refused) / seconds
      const words = refused > 0 ? `, ${refused} REFUSED (${refusal})` : ''
      return [
        {
          scenario: 'single events, 64 connections',
          ours: `${thousands(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${words}`,
          target: `≥ ${thousands(PER_SECOND)}/s, p99 < ${P99_MS} ms`,
          verdict: judge(perSecond >= PER_SECOND && p99Ms < P99_MS && refused === 0),
          scale: '',
          figures: { perSecond, p50Ms, p99Ms, refused },
        },
      ]
    } finally {
      await service.remove()
    }
  },
}
