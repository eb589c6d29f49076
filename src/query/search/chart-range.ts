/** Over which time a chart goes and in which periods: at most 1000 values, and none where there can be no events. */
import { type Chart, LqlError, type Period, type TimeBounds } from '../../lql/lql.ts'
import { bucketOf, countBuckets, PERIODS, step } from './periods.ts'

export const BUCKETS_MAX = 1_000

/** How many buckets are shown when the query names no time. */
const USUAL: Record<Period, number> = { second: 180, minute: 120, hour: 168, day: 31, week: 26, month: 24 }

/** Events cannot lie further ahead: ingest stores such ones under the time they came. */
const AHEAD_US = 3_600_000_000

export type ChartRange = { period: Period; fromUs: number; toUs: number; warnings: string[] }

/** `chart` is what was typed; without one the period may be chosen here. `null`: no time in which there can be events. */
export function chartRange(
  chart: Chart | null,
  bounds: TimeBounds,
  { nowUs, keptFromUs }: { nowUs: number; keptFromUs: number },
): ChartRange | null {
  const period = chart?.period ?? 'minute'
  if (bounds.fromUs === null && bounds.toUs === null) {
    const fromUs = step(bucketOf(nowUs, period), period, 1 - USUAL[period])
    return { period, fromUs, toUs: endOf(nowUs, period), warnings: [] }
  }
  const fromUs = Math.max(bounds.fromUs ?? keptFromUs, keptFromUs)
  const toUs = Math.min(bounds.toUs ?? Math.max(nowUs, fromUs), nowUs + AHEAD_US)
  if (fromUs > toUs) return null
  if (countBuckets(fromUs, toUs, period) <= BUCKETS_MAX)
    return { period, fromUs, toUs, warnings: chart ? tooShort(chart, fromUs, toUs) : [] }

  const fitting = PERIODS.find(
    (coarser) => isCoarser(coarser, period) && countBuckets(fromUs, toUs, coarser) <= BUCKETS_MAX,
  )
  if (!chart && fitting) return { period: fitting, fromUs, toUs, warnings: [] }
  if (chart && bounds.fromUs !== null && bounds.toUs !== null) throw tooMany(chart, fromUs, toUs, fitting)
  return {
    period,
    fromUs: step(bucketOf(toUs, period), period, 1 - BUCKETS_MAX),
    toUs,
    warnings: [`The time range is open; the chart shows its last ${BUCKETS_MAX} ${period}s.`],
  }
}

const endOf = (us: number, period: Period): number => step(bucketOf(us, period), period, 1) - 1

const isCoarser = (a: Period, b: Period): boolean => PERIODS.indexOf(a) > PERIODS.indexOf(b)

/** A range typed in whole seconds counts with its last one. */
const SECOND_US = 1_000_000

function tooShort({ period }: Chart, fromUs: number, toUs: number): string[] {
  const bucket = bucketOf(fromUs, period)
  if (toUs - fromUs + SECOND_US >= step(bucket, period, 1) - bucket) return []
  return [`The time range is shorter than one ${period}; choose a finer period with c:group_by(t::…).`]
}

function tooMany(chart: Chart, fromUs: number, toUs: number, fitting: Period | undefined): LqlError {
  const buckets = countBuckets(fromUs, toUs, chart.period)
  const suggestion = fitting === undefined ? null : `c:group_by(t::${fitting})`
  return new LqlError(
    `The chart would have ${buckets} values, one per ${chart.period}; the limit is ${BUCKETS_MAX}.${suggestion === null ? '' : ` Use ${suggestion}.`}`,
    {
      position: chart.at.start,
      found: `c:group_by(t::${chart.period})`,
      expected: `a chart of at most ${BUCKETS_MAX} values`,
      suggestion,
    },
  )
}
