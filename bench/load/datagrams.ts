/** Sends numbered syslog messages as datagrams at a steady rate, in a process of its own, and prints how long it took. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const [port = 0, count = 0, perSecond = 0] = process.argv.slice(2).map(Number)

/** Bunches this far apart: a sender that sends its whole second at once would test the buffer, not the service. */
const EVERY_MS = 2
/** Handed to the system at once; its answers are waited for before the next. */
const IN_FLIGHT = 200

const socket = createSocket('udp4')
socket.connect(port, '127.0.0.1')
await once(socket, 'connect')

const time = new Date().toISOString()
const text = (n: number): string =>
  `<134>1 ${time} web-${n % 8} checkout ${1000 + (n % 16)} - - GET /api/orders/${n} 200 in ${n % 400} ms for user ${n % 9973}, from cache, region eu-${n % 3}`

const startedAt = performance.now()
let sent = 0
let failed = 0
while (sent < count) {
  const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
  while (sent < due) {
    const bunch = Math.min(IN_FLIGHT, due - sent)
    await new Promise<void>((resolve) => {
      let left = bunch
      const onSent = (error: Error | null): void => {
        if (error) failed++
        if (--left === 0) resolve()
      }
      for (let i = 0; i < bunch; i++) socket.send(text(sent + i), onSent)
    })
    sent += bunch
  }
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
}
console.log(JSON.stringify({ sent: sent - failed, seconds: (performance.now() - startedAt) / 1000 }))
socket.close()
