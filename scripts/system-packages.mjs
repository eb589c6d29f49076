/**
 * What the tests need beside the project's own packages. Programs of the operating system are installed with apt-get when
 * that is possible (Debian or Ubuntu, as root), servers from npm into folders of their own; what is still missing
 * is said, and its tests are skipped.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { environmentOfTheMachine, root, runQuietly, say } from './prepare.mjs'

const needs = [
  {
    name: 'PostgreSQL',
    debian: 'postgresql',
    isThere: () =>
      onPath('postgres') || (existsSync('/usr/lib/postgresql') && readdirSync('/usr/lib/postgresql').length > 0),
  },
  { name: 'rsyslog', debian: 'rsyslog', isThere: () => onPath('rsyslogd') || existsSync('/usr/sbin/rsyslogd') },
  {
    name: "rsyslog's TLS driver",
    debian: 'rsyslog-openssl',
    isThere: () => isLibrary('rsyslog/lmnsd_ossl.so'),
  },
  { name: 'Chromium', debian: 'chromium', isThere: () => onPath('chromium') },
]

/** Cannot be installed beside rsyslog, so it is unpacked, and run from there. */
const syslogNg = {
  name: 'syslog-ng',
  debian: 'syslog-ng-core',
  libraries: ['libcap2', 'libglib2.0-0', 'libivykis0', 'libjson-c5', 'libnet1', 'libpcre3', 'libssl3', 'libwrap0'],
  folder: join(root, 'node_modules/.cache/syslog-ng'),
  isThere: () => existsSync(join(syslogNg.folder, 'usr/sbin/syslog-ng')),
}

/** Would begin to serve the machine when installed, so it is unpacked as well. */
const nginx = {
  name: 'nginx',
  debian: 'nginx',
  libraries: ['libpcre2-8-0', 'libssl3', 'zlib1g'],
  folder: join(root, 'node_modules/.cache/nginx'),
  isThere: () => existsSync(join(nginx.folder, 'usr/sbin/nginx')),
}
const unpacked = [syslogNg, nginx]

/** Servers from npm, by the folder that holds their `package.json`: too old or too large to be packages of the project. */
const servers = [{ name: 's3rver', folder: 'test/s3' }]
const isInstalled = ({ name, folder }) => existsSync(join(root, folder, 'node_modules', name))

function installServers() {
  const missing = servers.filter((server) => !isInstalled(server))
  for (const { name, folder } of missing) {
    say(`installing ${name} …`)
    const install = ['install', '--ignore-scripts', '--no-package-lock', '--no-fund', '--no-audit']
    runQuietly('npm', install, environmentOfTheMachine(), join(root, folder))
  }
  return missing
    .filter((server) => !isInstalled(server))
    .map(({ name }) => `${name} could not be installed: its tests are SKIPPED.`)
}

/** Debian keeps libraries in a folder per kind of processor. */
const isLibrary = (path) =>
  readdirSync('/usr/lib').some((folder) => folder.endsWith('-linux-gnu') && existsSync(join('/usr/lib', folder, path)))

const onPath = (command) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))

/** Installs what is missing and answers one sentence per need that is still not met. */
export function installSystemPackages() {
  return [...installServers(), ...installPrograms()]
}

function installPrograms() {
  const missing = [...needs, ...unpacked].filter((need) => !need.isThere())
  if (missing.length === 0) return []
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    const names = missing.flatMap((need) => need.libraries ?? need.debian)
    say(`installing ${names.join(', ')} …`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...names]
    // Package lists may be missing or old: refresh them first; an unreachable mirror shows in the install itself.
    runQuietly('apt-get', ['update', '-qq'], env)
    runQuietly('apt-get', install, env)
    for (const program of unpacked.filter((one) => missing.includes(one))) unpack(program, env)
  }
  return missing
    .filter((need) => !need.isThere())
    .map((need) => `${need.name} is not installed here (Debian package ${need.debian}): its tests are SKIPPED.`)
}

function unpack({ debian, folder }, env) {
  const packed = mkdtempSync(join(tmpdir(), 'millrace-package-'))
  const fresh = `${folder}.new`
  try {
    if (!runQuietly('apt-get', ['download', '-qq', debian], env, packed)) return
    const [file] = readdirSync(packed)
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    if (!runQuietly('dpkg-deb', ['-x', join(packed, file), fresh], env)) return
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(packed, { recursive: true, force: true })
  }
}
