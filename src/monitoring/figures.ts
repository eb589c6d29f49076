/** The figures of the process as fields of an event: one number for each name, series with labels added up. */
const LINE = /^(\w+)(?:\{[^}]*\})? (\S+)$/

export function figuresOf(text: string): Record<string, number> {
  const figures: Record<string, number> = {}
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? []
    const number = Number(value)
    // Buckets say little once they are added up.
    if (name === '' || name.endsWith('_bucket') || !Number.isFinite(number)) continue
    figures[name] = (figures[name] ?? 0) + number
  }
  return figures
}
