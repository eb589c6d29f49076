/**
 * An accessor selects a part of a stored JSON value: a dot path (`org.id`, `tags[0]`) or a JSONPath that starts
 * with `$` (`$.org.id`, `$['org']["id"]`, `$.tags[-1]`, `$.items[*].sku`, `$..id`).
 *
 * Refused: filters, slices and unions. They would need an expression language; what enrichment needs is one value
 * or a list of them.
 */
export type AccessorStep =
  | { kind: 'name'; name: string }
  | { kind: 'index'; index: number }
  /** Every element of a list or value of an object. */
  | { kind: 'every' }
  /** The value itself and everything below it; the next step selects from each. */
  | { kind: 'below' }

export type Accessor = {
  steps: AccessorStep[]
  /** Whether the answer is a list of whatever was found (`*` and `..`) instead of one value. */
  many: boolean
}

export function parseAccessor(text: string): Accessor | { problem: string } {
  const steps: AccessorStep[] = []
  const isJsonPath = text.startsWith('$')
  let rest = isJsonPath ? text.slice(1) : text
  if (!isJsonPath) {
    if (rest === '') return { problem: 'the accessor after the last ":" is empty' }
    if (!rest.startsWith('[')) rest = `.${rest}`
  }
  while (rest !== '') {
    const taken = takeStep(rest)
    if (!taken) return { problem: `the accessor "${text}" cannot be read at "${rest}"` }
    steps.push(...taken.steps)
    rest = rest.slice(taken.length)
  }
  return { steps, many: steps.some((step) => step.kind === 'every' || step.kind === 'below') }
}

const STEP =
  /^(?:\.\.(?=\[)|\.\.?(?:(?<every>\*)|(?<name>[^.[\]*'"\s]+))|\[\s*(?:(?<any>\*)|(?<index>-?\d{1,9})|'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")\s*\])/

function takeStep(text: string): { steps: AccessorStep[]; length: number } | null {
  const match = STEP.exec(text)
  if (!match?.groups) return null
  const { every, name, any, index, single, double } = match.groups
  const steps: AccessorStep[] = text.startsWith('..') ? [{ kind: 'below' }] : []
  const quoted = single ?? double
  if (name !== undefined) steps.push({ kind: 'name', name })
  else if (quoted !== undefined) steps.push({ kind: 'name', name: quoted.replaceAll(/\\(.)/g, '$1') })
  else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
  else if (every !== undefined || any !== undefined) steps.push({ kind: 'every' })
  return { steps, length: match[0].length }
}

/** The selected value; `undefined` when there is none, when it is null, or when the list of found values is empty. */
export function readAccessor(accessor: Accessor, value: unknown): unknown {
  if (accessor.many) {
    const found = accessor.steps.reduce((values, step) => values.flatMap((one) => select(one, step)), [value])
    return found.length > 0 ? found : undefined
  }
  let at = value
  for (const step of accessor.steps) at = select(at, step)[0]
  return at ?? undefined
}

function select(value: unknown, step: AccessorStep): unknown[] {
  if (typeof value !== 'object' || value === null) return step.kind === 'below' ? [value] : []
  switch (step.kind) {
    case 'name':
      return !Array.isArray(value) && Object.hasOwn(value, step.name) ? [Reflect.get(value, step.name)] : []
    case 'index': {
      const found = Array.isArray(value) ? value.at(step.index) : undefined
      return found === undefined ? [] : [found]
    }
    case 'every':
      return Object.values(value)
    case 'below':
      return [value, ...Object.values(value).flatMap((one) => select(one, step))]
  }
}
