/**
 * The same events in the forms of other services' senders, against a batch of JSON in the same run. Each form has a
 * source of its own, as its events have fields of their own. The batch is measured before and after, because the speed of a
 * shared machine drifts.
 */
import type { Service } from '../../test/support/service.ts'
import { eventFile } from '../data/files.ts'
import { prepareLoad } from '../load/client.ts'
import type { Form } from '../load/forms.ts'
import { cpuSeconds, untilQuiet } from '../machine.ts'
import { judge, type Line, thousands, times } from '../table.ts'
import { createSource, loadJob, type Scenario, startMeasured } from './scenario.ts'

type Way = { name: string; form: Form; path: string; source: string; atLeast: number | null }

/** A new way in is a line here and a form in `load/forms.ts`. Without a target it is for information. */
const WAYS: Way[] = [
  { name: 'OTLP logs, protobuf', form: 'otlp', path: '/v1/logs', source: 'otlp', atLeast: 0.6 },
  { name: 'Loki push, JSON', form: 'loki', path: '/loki/api/v1/push', source: 'loki', atLeast: 0.6 },
  { name: 'Elasticsearch _bulk', form: 'bulk', path: '/_bulk', source: 'bulk', atLeast: 0.6 },
]

type Rate = { perSecond: number; cpuPerMillion: number }

export const protocols: Scenario = {
  name: 'protocols',
  async run({ ingestEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      for (const { source } of WAYS) await createSource(service, source)
      const file = await eventFile(0, Math.ceil(ingestEvents / 4))
      const lines: Line[] = []
      let before = await warmRate(service, file, {})
      for (const way of WAYS) {
        const { form } = way
        const rate = await warmRate(service, file, { form, path: `${way.path}?source_name=${way.source}` })
        const after = await measureRate(service, file, {})
        lines.push(lineOf(way, rate, before, after))
        before = after
      }
      return lines
    } finally {
      await service.remove()
    }
  },
}

/** The first time a form is sent its fields are new and its code is cold. */
async function warmRate(service: Service, file: string, how: { form?: Form; path?: string }): Promise<Rate> {
  await measureRate(service, file, how)
  return measureRate(service, file, how)
}

async function measureRate(service: Service, file: string, how: { form?: Form; path?: string }): Promise<Rate> {
  await untilQuiet(service.pid)
  const load = await prepareLoad(loadJob(service, file, how))
  const cpuBefore = cpuSeconds(service.pid)
  const { events, seconds, refused, refusal } = await load.go()
  if (refused > 0) throw new Error(`${refused} requests were refused: ${refusal}`)
  await untilQuiet(service.pid)
  return { perSecond: events / seconds, cpuPerMillion: ((cpuSeconds(service.pid) - cpuBefore) / events) * 1e6 }
}

function lineOf({ name, atLeast }: Way, rate: Rate, before: Rate, after: Rate): Line {
  const batch = (before.perSecond + after.perSecond) / 2
  const ratio = rate.perSecond / batch
  const cpuRatio = rate.cpuPerMillion / ((before.cpuPerMillion + after.cpuPerMillion) / 2)
  return {
    scenario: name,
    ours: `${thousands(rate.perSecond)}/s = ${times(ratio)}, CPU ${times(cpuRatio)}`,
    target: atLeast === null ? '' : `≥ ${times(atLeast)} a batch of JSON`,
    verdict: atLeast === null ? 'for information' : judge(ratio >= atLeast),
    scale: `a batch of JSON here ${thousands(batch)}/s`,
    figures: { perSecond: rate.perSecond, batchPerSecond: batch, ratio, cpuPerMillion: rate.cpuPerMillion, cpuRatio },
  }
}
