/** The process of receivers: a web server that takes every request, and a socket that takes every byte. Looks at none of them. */
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

export type FromReceivers = { kind: 'listening'; httpPort: number; syslogPort: number }

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const http = createHttpServer((request, response) => {
  request.resume().once('end', () => response.end())
})
const syslog = createServer((socket) => socket.on('error', () => {}).resume())

const message: FromReceivers = { kind: 'listening', httpPort: await listen(http), syslogPort: await listen(syslog) }
process.send?.(message)
process.on('disconnect', () => process.exit(0))
