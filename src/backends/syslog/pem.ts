/** What is wrong with PEM texts, in words; null when nothing is. */
import { createPrivateKey, X509Certificate } from 'node:crypto'

const ENTRY = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([\s\S]*?)-----END \1-----/g
const KEY_LABELS = ['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY']
const NOT_PEM = 'must be a valid PEM encoded string'

type Entry = { label: string; text: string; isEncrypted: boolean }

const entriesOf = (pem: string): Entry[] =>
  [...pem.matchAll(ENTRY)].map(([text, label = '', body = '']) => ({
    label,
    text,
    isEncrypted: label.startsWith('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(body),
  }))

export function certificateProblem(pem: string): string | null {
  const entries = entriesOf(pem)
  if (entries.length === 0) return NOT_PEM
  if (entries.some(({ isEncrypted }) => isEncrypted)) return 'PEM entries must not be encrypted'
  const others = entries.filter(({ label }) => label !== 'CERTIFICATE').map(({ label }) => label)
  if (others.length > 0) return `PEM entries must all be certificates, got: ${others.join(', ')}`
  return entries.every(({ text }) => canRead(() => new X509Certificate(text))) ? null : NOT_PEM
}

export function keyProblem(pem: string): string | null {
  const [entry, ...others] = entriesOf(pem)
  if (!entry) return NOT_PEM
  if (others.length > 0) return `expected one PEM entry, got ${others.length + 1} entries`
  if (entry.isEncrypted) return 'PEM entry must not be encrypted'
  if (!KEY_LABELS.includes(entry.label)) return `unsupported key type: ${entry.label}`
  return canRead(() => createPrivateKey(entry.text)) ? null : NOT_PEM
}

function canRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
