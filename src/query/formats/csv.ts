/** RFC 4180: a head line, CRLF, quotes where needed. NULL is an empty field, an empty text is `""`, nested values are JSON. */
export function toCsv(rows: string[], columns: { name: string }[]): string {
  const lines = rows.map((text) => {
    const row: Record<string, unknown> = JSON.parse(text)
    return columns.map(({ name }) => field(row[name])).join(',')
  })
  return [columns.map(({ name }) => field(name)).join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

function field(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
