/**
 * Labels as BigQuery takes them: lower-case letters, digits, `_` and `-`, keys that begin with a letter, 63 characters
 * each and 64 in all. What is not of that form becomes `_`.
 */
const MOST = 64
const LENGTH = 63

const clean = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{Ll}\p{Lo}\p{N}_-]/gu, '_')
    .slice(0, LENGTH)

export function cleanLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const cleaned = new Map<string, string>()
  for (const [key, value] of Object.entries(labels)) {
    const plain = clean(key)
    const name = /^[\p{Ll}\p{Lo}]/u.test(plain) ? plain : `l${plain}`.slice(0, LENGTH)
    if (!cleaned.has(name) && cleaned.size < MOST) cleaned.set(name, clean(value))
  }
  return Object.fromEntries(cleaned)
}
