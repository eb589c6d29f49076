/** A mail server for tests: takes every mail that is sent to it and keeps its text. */
import { createServer, type Socket } from 'node:net'

export type Mailbox = { url: string; mails: string[]; stop(): Promise<void> }

export async function openMailbox(): Promise<Mailbox> {
  const mails: string[] = []
  const sockets = new Set<Socket>()

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let text = ''
    let isData = false
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    const take = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'DATA') {
        isData = true
        say('354 go on')
      } else if (verb === 'QUIT') {
        say('221 bye')
        socket.end()
      } else say('250 ok')
    }
    say('220 test')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const piece = text.slice(0, end)
        text = text.slice(end + (isData ? 5 : 2))
        if (isData) {
          // Long lines are folded by an equals sign at their end.
          mails.push(piece.replaceAll('=\r\n', '').replaceAll('=3D', '='))
          isData = false
          say('250 taken')
        } else take(piece)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
