/** Syslog daemons that people run, each writing what it understood of a message as `severity|time|host|app|process|id|data|text`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { portOf, until } from '../testing.ts'
import type { Certificates } from './certificates.ts'

export type Security = 'plain' | 'tls' | 'mutual tls'

type Place = { folder: string; port: number; security: Security; certificates: Certificates }
type Daemon = { isThere(): boolean; start(place: Place): ChildProcess }

const RSYSLOGD = '/usr/sbin/rsyslogd'
/** Where `scripts/system-packages.mjs` unpacks it: Debian does not let it be installed beside rsyslog. */
const SYSLOG_NG = join(import.meta.dirname, '../../../node_modules/.cache/syslog-ng')

export const DAEMONS: Record<string, Daemon> = {
  rsyslog: {
    isThere: () => existsSync(RSYSLOGD),
    start(place) {
      writeFileSync(join(place.folder, 'conf'), rsyslogConfig(place))
      const words = ['-n', '-f', join(place.folder, 'conf'), '-i', join(place.folder, 'pid')]
      return spawn(RSYSLOGD, words, { stdio: 'ignore' })
    },
  },
  'syslog-ng': {
    isThere: () => existsSync(join(SYSLOG_NG, 'usr/sbin/syslog-ng')),
    start(place) {
      const libraries = join(SYSLOG_NG, 'usr/lib/syslog-ng')
      const version = readdirSync(libraries).find((name) => /^\d+\.\d+$/.test(name)) ?? ''
      writeFileSync(join(place.folder, 'conf'), syslogNgConfig(place, version))
      const files = ['persist-file', 'control', 'pidfile'].map((name) => `--${name}=${join(place.folder, name)}`)
      const modules = `--module-path=${join(libraries, version)}`
      return spawn(
        join(SYSLOG_NG, 'usr/sbin/syslog-ng'),
        ['-F', '--no-caps', '-f', join(place.folder, 'conf'), modules, ...files],
        { stdio: 'ignore', env: { ...process.env, LD_LIBRARY_PATH: libraries } },
      )
    },
  },
}

const PARTS = ['syslogseverity-text', 'timereported:::date-rfc3339', 'hostname', 'app-name', 'procid', 'msgid']

function rsyslogConfig({ folder, port, security, certificates }: Place): string {
  const template = [...PARTS, 'structured-data', 'msg'].map((name) => `%${name}%`).join('|')
  const files = `defaultNetstreamDriverCAFile="${certificates.path('ca.pem')}"
    defaultNetstreamDriverCertFile="${certificates.path('server.pem')}"
    defaultNetstreamDriverKeyFile="${certificates.path('server.key')}"`
  const driver = `streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="${
    security === 'tls' ? 'anon' : 'x509/certvalid'
  }"`
  const isTls = security !== 'plain'
  return `
global(workDirectory="${folder}" maxMessageSize="64k" ${isTls ? files : ''})
module(load="imtcp" ${isTls ? driver : ''})
template(name="parts" type="string" string="${template}\\n")
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="all")
ruleset(name="all") { action(type="omfile" file="${folder}/out" template="parts") }
`
}

function syslogNgConfig({ folder, port, security, certificates }: Place, version: string): string {
  const verify =
    security === 'tls'
      ? 'peer-verify(optional-untrusted)'
      : `peer-verify(required-trusted) ca-file("${certificates.path('ca.pem')}")`
  const tls = `tls(key-file("${certificates.path('server.key')}") cert-file("${certificates.path('server.pem')}") ${verify})`
  const transport = security === 'plain' ? 'transport("tcp")' : `transport("tls") ${tls}`
  const parts = ['LEVEL', 'S_ISODATE', 'HOST', 'PROGRAM', 'PID', 'MSGID', 'SDATA', 'MSG']
  return `
@version: ${version}
@module syslogformat
@module affile
@module afsocket
options { keep-hostname(yes); stats-freq(0); log-msg-size(65536); frac-digits(3); };
source s { syslog(ip("127.0.0.1") port(${port}) ${transport}); };
destination d { file("${folder}/out" template("${parts.map((name) => `\${${name}}`).join('|')}\\n")); };
log { source(s); destination(d); };
`
}

export async function startDaemon(name: string, security: Security, certificates: Certificates) {
  const folder = mkdtempSync(join(tmpdir(), 'daemon-'))
  const port = await freePort()
  const daemon = DAEMONS[name]!.start({ folder, port, security, certificates })
  await until(() => isListening(port), 15_000)
  return {
    port,
    /** What it wrote: the parts of each message. */
    lines(): string[][] {
      const file = join(folder, 'out')
      if (!existsSync(file)) return []
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
      return lines.map((line) => [...line.split('|').slice(0, 7), line.split('|').slice(7).join('|')])
    },
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => daemon.once('exit', resolve))
      if (daemon.exitCode === null && daemon.kill('SIGKILL')) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
