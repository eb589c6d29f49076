import { INTERVAL_MAKERS, instantUs, UNIT_US } from './time-units.ts'
import type { Expr } from './tree.ts'

/** What a bound may depend on: the time of the run and the values of its parameters. */
export type Moment = { nowUs: number; parameters: Readonly<Record<string, unknown>> }

/** An instant in microseconds once the moment is known; null when it cannot be told. */
type Instant = (moment: Moment) => number | null

export type Bound = { side: 'from' | 'to'; instant: Instant }

/** Which source reference's timestamp an expression is, unchanged; null when it is none. */
export type TimestampOf = (expr: Expr) => number | null

/** The engine reads the clock after we do, so an upper bound that depends on it gets this much room. */
const CLOCK_ROOM_US = 3.6e9

/** The source references whose timestamp the condition restricts on every path: AND needs one side, OR needs both. */
export function restricted(condition: Expr, timestampOf: TimestampOf): Set<number> {
  if (condition.kind === 'binary' && (condition.operator === 'and' || condition.operator === 'or')) {
    const left = restricted(condition.left, timestampOf)
    const right = restricted(condition.right, timestampOf)
    return condition.operator === 'and' ? new Set([...left, ...right]) : shared(left, right)
  }
  const found = new Set<number>()
  const mention = (expr: Expr, others: Expr[]): void => {
    const source = inside(expr, timestampOf)
    if (source !== null && !others.some((other) => inside(other, timestampOf) === source)) found.add(source)
  }
  if (condition.kind === 'binary' && ['=', '<', '<=', '>', '>='].includes(condition.operator)) {
    mention(condition.left, [condition.right])
    mention(condition.right, [condition.left])
  } else if (condition.kind === 'between' && !condition.not) mention(condition.of, [condition.low, condition.high])
  else if (condition.kind === 'inList' && !condition.not) mention(condition.of, condition.items)
  else if (condition.kind === 'case' && condition.of === null) return everyBranch(condition, timestampOf)
  return found
}

const shared = (a: Set<number>, b: Set<number>): Set<number> => new Set([...a].filter((each) => b.has(each)))

/** A CASE restricts when each of its outcomes does, or is never true. */
function everyBranch(condition: Expr & { kind: 'case' }, timestampOf: TimestampOf): Set<number> {
  const outcomes = [
    ...condition.whens.map(({ result }) => result),
    ...(condition.otherwise ? [condition.otherwise] : []),
  ]
  const sets = outcomes
    .filter((outcome) => outcome.kind !== 'null' && !(outcome.kind === 'boolean' && !outcome.value))
    .map((outcome) => restricted(outcome, timestampOf))
  return sets.reduce(shared, sets[0] ?? new Set())
}

/** The timestamp itself or a function of it and constants: DATE(timestamp), TIMESTAMP_TRUNC(timestamp, DAY). */
function inside(expr: Expr, timestampOf: TimestampOf): number | null {
  const direct = timestampOf(expr)
  if (direct !== null) return direct
  if (expr.kind === 'cast' || expr.kind === 'extract') return inside(expr.of, timestampOf)
  if (expr.kind === 'call' && expr.args[0]) return inside(expr.args[0], timestampOf)
  if (expr.kind === 'binary' && (expr.operator === '+' || expr.operator === '-')) return inside(expr.left, timestampOf)
  return null
}

/** Bounds that hold for every row the condition lets through, per source reference. */
export function boundsOf(condition: Expr, timestampOf: TimestampOf): { source: number; bound: Bound }[] {
  if (condition.kind === 'binary' && condition.operator === 'and') {
    return [...boundsOf(condition.left, timestampOf), ...boundsOf(condition.right, timestampOf)]
  }
  if (condition.kind === 'between' && !condition.not) {
    const source = timestampOf(condition.of)
    if (source === null) return []
    return [bound(source, 'from', condition.low), bound(source, 'to', condition.high)].flat()
  }
  if (condition.kind === 'case') return caseBounds(condition, timestampOf)
  if (condition.kind !== 'binary') return []
  const sides = { '=': ['from', 'to'], '>': ['from'], '>=': ['from'], '<': ['to'], '<=': ['to'] } as const
  const leftSides = sides[condition.operator as keyof typeof sides]
  if (!leftSides) return []
  const left = timestampOf(condition.left)
  if (left !== null) return leftSides.flatMap((side) => bound(left, side, condition.right))
  const right = timestampOf(condition.right)
  if (right === null) return []
  return leftSides.flatMap((side) =>
    bound(right, condition.operator === '=' ? side : side === 'from' ? 'to' : 'from', condition.left),
  )
}

/** Moments without parameters: an instant that can be told in both depends on none. */
const NEVER: Moment = { nowUs: Number.NaN, parameters: {} }
const EPOCH: Moment = { nowUs: 0, parameters: {} }

/** The clock is read in milliseconds: now lasts until the last microsecond of one. */
const NOW_LASTS_US = 999

/**
 * The bounds that say all a condition says, so that whoever leaves out the rows beyond them need not ask it too. Null
 * for every condition that is more than a comparison of a timestamp with a written time, or with one counted from now.
 */
export function exactBounds(condition: Expr, timestampOf: TimestampOf): { source: number; bound: Bound }[] | null {
  const fixed = (source: number | null, side: 'from' | 'to', expr: Expr, shiftUs: number) => {
    const instant = instantOf(expr)
    if (source === null || !instant || !Number.isSafeInteger(instant(EPOCH))) return null
    const roomUs = side === 'to' && Number.isNaN(instant(NEVER)) ? NOW_LASTS_US : 0
    return [{ source, bound: { side, instant: (moment: Moment) => (instant(moment) ?? 0) + shiftUs + roomUs } }]
  }
  if (condition.kind === 'between' && !condition.not) {
    const source = timestampOf(condition.of)
    const [low, high] = [fixed(source, 'from', condition.low, 0), fixed(source, 'to', condition.high, 0)]
    return low && high ? [...low, ...high] : null
  }
  if (condition.kind !== 'binary') return null
  const source = timestampOf(condition.left)
  switch (condition.operator) {
    case '>':
      return fixed(source, 'from', condition.right, 1)
    case '>=':
      return fixed(source, 'from', condition.right, 0)
    case '<':
      return fixed(source, 'to', condition.right, -1)
    case '<=':
      return fixed(source, 'to', condition.right, 0)
    default:
      return null
  }
}

/** `CASE WHEN COALESCE(@since, '') = '' THEN TRUE ELSE … END`: its ELSE binds when the parameter has a value. */
function caseBounds(condition: Expr & { kind: 'case' }, timestampOf: TimestampOf): { source: number; bound: Bound }[] {
  const [first] = condition.whens
  if (condition.of || condition.whens.length !== 1 || !first || !condition.otherwise) return []
  const parameter = optionalParameter(first.when)
  if (parameter === null) return []
  return boundsOf(condition.otherwise, timestampOf).map(({ source, bound: { side, instant } }) => ({
    source,
    bound: { side, instant: (moment) => (isGiven(moment.parameters[parameter]) ? instant(moment) : null) },
  }))
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function optionalParameter(expr: Expr): string | null {
  if (expr.kind === 'is' && expr.what === 'null' && !expr.not && expr.of.kind === 'parameter') return expr.of.name
  if (expr.kind !== 'binary' || expr.operator !== '=' || expr.right.kind !== 'string' || expr.right.value !== '')
    return null
  const { left } = expr
  const isDefault = left.kind === 'call' && (left.name === 'coalesce' || left.name === 'ifnull')
  const of = isDefault ? left.args[0] : left
  return of?.kind === 'parameter' ? of.name : null
}

function bound(source: number, side: 'from' | 'to', expr: Expr): { source: number; bound: Bound }[] {
  const instant = instantOf(expr)
  if (!instant) return []
  if (side === 'from' || !dependsOnNow(expr)) return [{ source, bound: { side, instant } }]
  const roomy: Instant = (moment) => {
    const us = instant(moment)
    return us === null ? null : us + CLOCK_ROOM_US
  }
  return [{ source, bound: { side, instant: roomy } }]
}

function dependsOnNow(expr: Expr): boolean {
  if (expr.kind === 'call') return expr.name.startsWith('current_') || expr.args.some(dependsOnNow)
  if (expr.kind === 'binary') return dependsOnNow(expr.left) || dependsOnNow(expr.right)
  if (expr.kind === 'cast') return dependsOnNow(expr.of)
  return isNow(expr)
}

const isNow = (expr: Expr): boolean =>
  (expr.kind === 'call' && expr.name === 'current_timestamp') ||
  (expr.kind === 'path' && expr.parts.length === 1 && expr.parts[0]!.text.toLowerCase() === 'current_timestamp')

/** The instant a constant expression stands for, or null when it is not one we can tell. */
function instantOf(expr: Expr): Instant | null {
  if (isNow(expr)) return ({ nowUs }) => nowUs
  switch (expr.kind) {
    case 'string':
    case 'typed': {
      const us = instantUs(expr.kind === 'string' ? expr.value : expr.text)
      return us === null ? null : () => us
    }
    case 'parameter':
      return ({ parameters }) => {
        const value = parameters[expr.name]
        return typeof value === 'string' ? instantUs(value) : null
      }
    case 'cast':
      return expr.to.kind === 'scalar' && expr.to.name === 'timestamp' ? instantOf(expr.of) : null
    case 'binary':
      if (expr.operator !== '+' && expr.operator !== '-') return null
      return moved(expr.left, expr.right, expr.operator === '+' ? 1 : -1)
    case 'call':
      if (expr.name === 'timestamp' && expr.args.length === 1) return instantOf(expr.args[0]!)
      if (expr.name === 'timestamp_add' && expr.args[1]) return moved(expr.args[0]!, expr.args[1], 1)
      if (expr.name === 'timestamp_sub' && expr.args[1]) return moved(expr.args[0]!, expr.args[1], -1)
      return null
    default:
      return null
  }
}

function moved(from: Expr, by: Expr, sign: 1 | -1): Instant | null {
  if (by.kind !== 'interval' || !INTERVAL_MAKERS.has(by.unit)) return null
  const start = instantOf(from)
  const amount = by.of
  const unitUs = UNIT_US.get(by.unit) ?? (by.unit === 'week' ? 7 * 8.64e10 : null)
  if (!start || unitUs === null) return null
  const count = (moment: Moment): number => {
    if (amount.kind === 'number') return Number(amount.text)
    const value = amount.kind === 'parameter' ? moment.parameters[amount.name] : null
    // The engine rounds what is no whole number; then no bound is better than one that is a little off.
    return /^-?\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
  }
  if (amount.kind !== 'number' && amount.kind !== 'parameter') return null
  return (moment) => {
    const us = start(moment)
    const change = count(moment) * unitUs * sign
    return us === null || !Number.isFinite(change) ? null : us + change
  }
}

/** The tightest range that all bounds together allow. */
export function rangeOf(bounds: Bound[], moment: Moment): { fromUs: number | null; toUs: number | null } {
  let fromUs: number | null = null
  let toUs: number | null = null
  for (const { side, instant } of bounds) {
    const us = instant(moment)
    if (us === null) continue
    if (side === 'from') fromUs = fromUs === null ? us : Math.max(fromUs, us)
    else toUs = toUs === null ? us : Math.min(toUs, us)
  }
  return { fromUs, toUs }
}
