/** Reads `key=value,key2=value2`; gives the normal form (trimmed, no blanks around signs) or what is wrong. */
export function normalLabels(text: string): { labels: string | null } | { problem: string } {
  if (text.trim() === '') return { labels: null }
  const labels: string[] = []
  for (const label of text.split(',')) {
    const [key, value, ...more] = label.split('=').map((part) => part.trim())
    if (value === undefined) return { problem: 'each label must be in key=value format' }
    if (more.length > 0) return { problem: "each label must have exactly one '=' sign" }
    if (!key) return { problem: 'each label must have a non-empty key' }
    if (!value) return { problem: 'each label must have a non-empty value' }
    labels.push(`${key}=${value}`)
  }
  return { labels: labels.join(',') }
}
