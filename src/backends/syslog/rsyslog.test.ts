/** A real receiver: rsyslog reads the frames and takes them apart as they were meant. Skipped where it is not installed. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { portOf, startWorld, until } from '../testing.ts'

const RSYSLOGD = '/usr/sbin/rsyslogd'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

const PARTS = ['syslogseverity-text', 'timereported:::date-rfc3339', 'hostname', 'app-name', 'procid', 'msgid']

const configOf = (folder: string, port: number): string => `
global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imtcp")
template(name="parts" type="string" string="${[...PARTS, 'structured-data', 'msg'].map((name) => `%${name}%`).join('|')}\\n")
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="all")
ruleset(name="all") { action(type="omfile" file="${folder}/out" template="parts") }
`

test.skipIf(!existsSync(RSYSLOGD))(
  'rsyslog gets every event, with header fields and structured data in place',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rsyslog-'))
    const port = await freePort()
    writeFileSync(join(folder, 'conf'), configOf(folder, port))
    const words = ['-n', '-f', join(folder, 'conf'), '-i', join(folder, 'pid')]
    const daemon = spawn(RSYSLOGD, words, { stdio: 'ignore' })
    const world = await startWorld()
    try {
      const source = await world.newSource()
      const structured = '[a@1 b="c"]'
      const backend = await world.newBackend('syslog', { host: '127.0.0.1', port, structured_data: structured })
      await world.attach(source, backend)
      const metadata = { level: 'warn', host: 'web 1', app_name: 'Store Front', procid: 7 }
      const sent = await world.append(source, 600, { metadata, text: 'zwei\nZeilen €' })
      const lines = (): string[] =>
        existsSync(join(folder, 'out')) ? readFileSync(join(folder, 'out'), 'utf8').trim().split('\n') : []
      await until(() => lines().length >= 600, 15_000)
      const parts = lines().map((line) => line.split('|'))
      expect(parts[0]!.slice(0, 5)).toEqual(['warning', '2024-04-05T19:34:38.901Z', 'web_1', 'Store_Front', '7'])
      expect(parts[0]![6]).toBe(structured)
      const events = parts.map((fields) => JSON.parse(fields.slice(7).join('|')))
      expect(new Set(events.map(({ id }) => id))).toEqual(new Set(sent))
      expect(events[0]).toMatchObject({ event_message: 'event 0', text: 'zwei\nZeilen €', metadata })
    } finally {
      await world.stop()
      daemon.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  },
  30_000,
)
