/**
 * Numbers about the running process, printed in the Prometheus text format. A counter is an object with a number:
 * hot code holds the object and adds to it. Reading happens only when somebody asks.
 */
export type Labels = Record<string, string>

export type Counter = { value: number }

export type Histogram = {
  observe(value: number): void
}

export type Metrics = {
  counter(name: string, help: string, labels?: Labels): Counter
  /** Read when the metrics are printed. */
  gauge(name: string, help: string, read: () => number, labels?: Labels): void
  /** A number that only grows and is kept elsewhere; read when the metrics are printed. */
  total(name: string, help: string, read: () => number, labels?: Labels): void
  /** `bounds`: upper limits of the buckets, ascending. */
  histogram(name: string, help: string, bounds: number[], labels?: Labels): Histogram
  /** Forgets every series with these labels, as when a source is deleted. */
  forget(labels: Labels): void
  print(): string
}

type Kind = 'counter' | 'gauge' | 'histogram'
type Series = { labels: Labels; lines(name: string): string[]; handle: unknown }
type Family = { kind: Kind; help: string; series: Map<string, Series> }

export function createMetrics(): Metrics {
  const families = new Map<string, Family>()

  /** Asking twice for the same name and labels gives the same handle. */
  function register<Handle>(
    kind: Kind,
    { name, help, labels = {} }: { name: string; help: string; labels: Labels | undefined },
    build: (labels: Labels) => { handle: Handle; lines: Series['lines'] },
    isHandle: (handle: unknown) => handle is Handle,
  ): Handle {
    const family = families.get(name) ?? { kind, help, series: new Map() }
    if (family.kind !== kind) throw new Error(`${name} is already a ${family.kind}`)
    families.set(name, family)
    const key = labelText(labels)
    const known = family.series.get(key)?.handle
    if (isHandle(known)) return known
    const made = build(labels)
    family.series.set(key, { labels, ...made })
    return made.handle
  }

  function watch(
    kind: Kind,
    { name, help, read, labels = {} }: { name: string; help: string; read: () => number; labels: Labels | undefined },
  ): void {
    const family = families.get(name) ?? { kind, help, series: new Map() }
    if (family.kind !== kind) throw new Error(`${name} is already a ${family.kind}`)
    families.set(name, family)
    const lines = (of: string): string[] => [`${of}${labelText(labels)} ${number(read())}`]
    family.series.set(labelText(labels), { labels, lines, handle: read })
  }

  return {
    counter: (name, help, labels) =>
      register(
        'counter',
        { name, help, labels },
        (own) => {
          const handle = { value: 0 }
          return { handle, lines: (of) => [`${of}${labelText(own)} ${number(handle.value)}`] }
        },
        (handle): handle is Counter => handle !== undefined,
      ),
    gauge: (name, help, read, labels) => watch('gauge', { name, help, read, labels }),
    total: (name, help, read, labels) => watch('counter', { name, help, read, labels }),
    histogram: (name, help, bounds, labels) =>
      register(
        'histogram',
        { name, help, labels },
        (own) => createHistogram(bounds, own),
        (handle): handle is Histogram => handle !== undefined,
      ),
    forget(labels) {
      const wanted = Object.entries(labels)
      for (const { series } of families.values()) {
        for (const [key, one] of series) {
          if (wanted.every(([label, value]) => one.labels[label] === value)) series.delete(key)
        }
      }
    },
    print() {
      const lines: string[] = []
      for (const [name, { kind, help, series }] of families) {
        lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${kind}`)
        for (const one of series.values()) lines.push(...one.lines(name))
      }
      return `${lines.join('\n')}\n`
    },
  }
}

function createHistogram(bounds: number[], labels: Labels): { handle: Histogram; lines: Series['lines'] } {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    handle: {
      observe(value) {
        let at = 0
        while (at < bounds.length && value > bounds[at]!) at++
        counts[at]!++
        sum += value
      },
    },
    lines(name) {
      let below = 0
      const buckets = counts.map((count, at) => {
        below += count
        const le = at < bounds.length ? String(bounds[at]) : '+Inf'
        return `${name}_bucket${labelText({ ...labels, le })} ${below}`
      })
      return [
        ...buckets,
        `${name}_sum${labelText(labels)} ${number(sum)}`,
        `${name}_count${labelText(labels)} ${below}`,
      ]
    },
  }
}

const number = (value: number): string => (Number.isFinite(value) ? String(value) : 'NaN')

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
