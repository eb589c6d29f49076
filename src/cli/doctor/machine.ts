/** What the machine must bring along: Node, a clock, room, a port. */
import { accessSync, constants, existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { bytesText } from '../print.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'

const NODE_MIN = 26
const ROOM_PROBLEM = 200_000_000
const ROOM_WARNING = 2_000_000_000
const [YEAR_MIN, YEAR_MAX] = [2025, 2100]
const CLOCK_OFF_MS = 5_000

export const nodeCheck: Check = {
  name: 'node',
  async run() {
    const { node } = process.versions
    if (Number(node.split('.')[0]) >= NODE_MIN) return [ok(`Node ${node}`)]
    return [problem(`Node ${node} is too old.`, 'Run `npm start` in the project: it brings its own Node.')]
  },
}

export const folderCheck: Check = {
  name: 'data folder',
  async run({ settings: { dataDir } }) {
    const existing = nearestExisting(dataDir)
    try {
      accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch {
      return [problem(`${dataDir} cannot be written by this user.`, 'Change its owner or mode, or set MILLRACE_DATA.')]
    }
    return [
      ok(existing === dataDir ? `${dataDir} can be read and written` : `${dataDir} will be made at the first start`),
    ]
  },
}

export const roomCheck: Check = {
  name: 'free space',
  async run({ settings: { dataDir } }) {
    const { bavail, bsize, blocks } = await statfs(nearestExisting(dataDir))
    const free = bavail * bsize
    const text = `${bytesText(free)} of ${bytesText(blocks * bsize)} free on the disk of ${dataDir}`
    const advice = 'Make room, or shorten the retention of large sources. On a full disk events are refused.'
    if (free < ROOM_PROBLEM) return [problem(text, advice)]
    return [free < ROOM_WARNING ? warning(text, advice) : ok(text)]
  },
}

export const portCheck: Check = {
  name: 'port',
  async run({ settings: { host, port }, service }) {
    if (service) return [ok(`The service answers at ${service.url}`)]
    return [await tryPort(host, port)]
  },
}

export const clockCheck: Check = {
  name: 'clock',
  async run({ api, service }) {
    const now = new Date()
    const year = now.getUTCFullYear()
    const advice = 'Set the clock, and let it be kept right (NTP): events without a time get the time of arrival.'
    if (year < YEAR_MIN || year > YEAR_MAX) return [problem(`The clock says ${now.toISOString()}.`, advice)]
    const told = service && Date.parse((await api.fetch('/health').catch(() => null))?.headers.get('date') ?? '')
    if (told && Math.abs(told - Date.now()) > CLOCK_OFF_MS)
      return [warning(`The clock of the service is ${Math.round((told - Date.now()) / 1000)} s off this one.`, advice)]
    return [ok(now.toISOString())]
  },
}

function tryPort(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const advice = 'Stop the other program, or set MILLRACE_PORT and MILLRACE_HOST.'
      const text =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is used by another program.`
          : `Nothing can listen on port ${port} of ${host} (${error.code}).`
      resolve(problem(text, advice))
    })
    probe.listen(port, host, () => probe.close(() => resolve(ok(`Port ${port} on ${host} is free`))))
  })
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
