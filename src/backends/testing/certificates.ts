/** Certificates for tests, made by `openssl` in a folder that is removed with them: good ones, and one for each thing that can be wrong. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificates = {
  /** The path of `<name>.pem` or `<name>.key`. */
  path(file: string): string
  read(file: string): string
  remove(): void
}

type Leaf = { authority?: string; names?: string; days?: string }

const HERE = 'DNS:localhost,IP:127.0.0.1'

const LEAVES: Record<string, Leaf> = {
  server: {},
  client: {},
  expired: { days: '-1' },
  misnamed: { names: 'DNS:elsewhere.example' },
  /** Of an authority that nobody here trusts. */
  stranger: { authority: 'other-ca' },
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const openssl = (...words: string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
  }
  const key = (name: string): string[] => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`],
  ]
  for (const name of ['ca', 'other-ca'])
    openssl('req', '-x509', ...key(name), '-days', '2', '-out', `${name}.pem`, '-subj', `/CN=${name}`)
  for (const [name, { authority = 'ca', names = HERE, days = '2' }] of Object.entries(LEAVES)) {
    const request = ['-out', `${name}.csr`, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`]
    openssl('req', '-new', ...key(name), ...request)
    const signed = [
      '-CA',
      `${authority}.pem`,
      '-CAkey',
      `${authority}.key`,
      '-CAcreateserial',
      '-copy_extensions',
      'copy',
    ]
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-days', days, '-out', `${name}.pem`)
  }
  return {
    path: (file) => join(folder, file),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
