import { microsOf } from '../numbers.ts'
import type { Time, TimeValue } from '../query.ts'
import { dependsOnNow, type Interval, intervalOf } from '../time/interval.ts'
import { printPoint, printSpan } from '../time/point.ts'
import type { Operator } from './operator.ts'

/**
 * `t:2025-06-01`, `t:>=2025-06-01T10:00:00Z`, `t:last@15m`. A time is an interval (an instant is one of a single
 * microsecond): equal is inside, less is before its start, greater is after its end.
 */
export function time({ sign, time: value, at }: Time): Operator {
  return {
    print: () => `t:${sign === '=' ? '' : sign}${printTime(value)}`,
    test({ nowMs, zone }) {
      const holds = HOLDS[sign]
      if (!dependsOnNow(value)) {
        const interval = intervalOf(value, 0, zone)
        return (found) => holds(microsOf(found), interval)
      }
      let readAt = nowMs()
      let interval = intervalOf(value, readAt, zone)
      return (found) => {
        const now = nowMs()
        if (now !== readAt) {
          readAt = now
          interval = intervalOf(value, now, zone)
        }
        return holds(microsOf(found), interval)
      }
    },
    sql(column, type, write) {
      if (type !== 'timestamp') return null
      const { fromUs, toUs } = intervalOf(value, write.when.nowMs(), write.when.zone)
      switch (sign) {
        case '=':
          return fromUs === toUs
            ? `${column} = ${write.time(fromUs)}`
            : `(${column} >= ${write.time(fromUs)} AND ${column} <= ${write.time(toUs)})`
        case '>':
        case '<=':
          return `${column} ${sign} ${write.time(toUs)}`
        case '<':
        case '>=':
          return `${column} ${sign} ${write.time(fromUs)}`
      }
    },
    misfit: (type) => (type === 'timestamp' ? null : { expected: 'the event’s timestamp', at }),
  }
}

const HOLDS: Record<Time['sign'], (us: number, interval: Interval) => boolean> = {
  '=': (us, { fromUs, toUs }) => us >= fromUs && us <= toUs,
  '>': (us, { toUs }) => us > toUs,
  '>=': (us, { fromUs }) => us >= fromUs,
  '<': (us, { fromUs }) => us < fromUs,
  '<=': (us, { toUs }) => us <= toUs,
}

function printTime(value: TimeValue): string {
  switch (value.form) {
    case 'point':
      return printPoint(value.point)
    case 'span':
      return printSpan(value.low, value.high)
    case 'word':
      return value.word
    case 'this':
      return `this@${value.unit}`
    case 'last':
      return `last@${value.count}${value.unit}`
  }
}
