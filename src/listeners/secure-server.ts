import { readFile } from 'node:fs/promises'
import type { Server, ServerOpts } from 'node:net'
import { createServer } from 'node:tls'
import { Fault } from '../base/faults.ts'

/** A port for TLS, with files in PEM; with an authority for clients only those are heard that have a certificate of it. */
export type TlsSettings = { port: number; certFile: string; keyFile: string; clientCaFile: string | null }

/** A server for TLS. `setting` is what the names of its settings begin with. */
export async function secureServer(
  { certFile, keyFile, clientCaFile }: TlsSettings,
  setting: string,
  options: ServerOpts = {},
): Promise<Server> {
  const read = async (file: string, name: string): Promise<Buffer> =>
    readFile(file).catch((error: unknown) => {
      throw new Fault('setup', `${setting}_${name}: the file ${file} cannot be read.`, error)
    })
  const cert = await read(certFile, 'TLS_CERT')
  const key = await read(keyFile, 'TLS_KEY')
  const ca = clientCaFile === null ? null : await read(clientCaFile, 'TLS_CLIENT_CA')
  try {
    return createServer({
      ...options,
      cert,
      key,
      ...(ca ? { ca, requestCert: true, rejectUnauthorized: true } : {}),
    })
  } catch (error) {
    throw new Fault('setup', `The certificate and key of ${setting}_TLS_PORT cannot be used.`, error)
  }
}
