/**
 * Brings a clone to the point where the project's own Node can run it: packages installed, sources built.
 * Runs on Node 20 and without dependencies, because it runs before there are any.
 * Does nothing that is already done, and shows a tool's output only when the tool fails.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The Node the project runs on, brought by the npm package `node`. */
export const projectNode = join(root, 'node_modules/node/bin/node')

export const say = (text) => console.log(`millrace: ${text}`)

/** Runs a command, in the project folder unless told otherwise; answers whether it worked and prints what it said only when it did not. */
export function runQuietly(command, args, env = process.env, cwd = root) {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const worked = done.status === 0
  if (!worked) console.error(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error ? `${done.error.message}\n` : ''}`)
  return worked
}

export function installPackages() {
  if (isInstalled()) return true
  if (isLink(join(root, 'node_modules'))) {
    // Two work trees may share one install; emptying it from here would pull it away under the other.
    say('node_modules is a link to another install that does not match package-lock.json; update it where it lives.')
    return false
  }
  say('installing packages, which takes a minute the first time …')
  // Not `npm ci`: it refuses a lock file that lacks a package of some other platform, and registries differ in which
  // of those they carry. This installs the same locked versions and leaves the lock file as it is.
  const install = ['install', '--no-save', '--no-fund', '--no-audit']
  return runQuietly('npm', install, environmentOfTheMachine()) && isInstalled()
}

export const isInstalled = () => existsSync(projectNode) && matchesLockFile(root)

/**
 * npm leaves a record of what it installed as the last thing it does. Comparing it with the lock file finds a changed
 * lock file and an install that was cut short, and accepts an install made by hand.
 */
function matchesLockFile(folder) {
  const record = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = packagesOf(join(folder, 'package-lock.json'))
  const present = packagesOf(record)
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = present[path]
    // Optional packages for other machines are in the lock file and rightly absent here.
    return found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional === true
  })
}

/**
 * The published clients that the tests run against the service. They stand in a folder of their own, so that none of
 * them can become a part of the service. Answers a sentence when they could not be installed.
 */
export function installClients() {
  const folder = join(root, 'test/clients')
  if (matchesLockFile(folder)) return []
  say('installing the clients that the tests run …')
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-save', '--no-fund', '--no-audit']
  if (runQuietly('npm', install, environmentOfTheMachine()) && matchesLockFile(folder)) return []
  return ['the packages of test/clients could not be installed: the tests that run them are SKIPPED.']
}

const isLink = (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

const packagesOf = (lockFile) => JSON.parse(readFileSync(lockFile, 'utf8')).packages

/** Without the folder npm puts first on the PATH: npm must not run on a Node that it is about to replace. */
export function environmentOfTheMachine() {
  const own = join(root, 'node_modules/.bin')
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== own)
  return { ...process.env, PATH: path.join(delimiter) }
}

const builtStamp = join(root, 'dist/.built')

export function buildIfStale() {
  return isBuilt() || build()
}

export function build() {
  say('building …')
  const startedAt = new Date()
  // The compiler's notes live inside dist, so that removing dist also removes the belief that it is up to date.
  const notes = 'dist/.tsbuildinfo'
  if (!runQuietly(projectNode, [tsc, '-p', 'tsconfig.json', '--tsBuildInfoFile', notes])) return false
  if (!runQuietly(projectNode, [vite, 'build', 'web'])) return false
  if (!runQuietly(projectNode, [join(root, 'scripts/docs/build.mjs')])) return false
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(builtStamp, `${startedAt.toISOString()}\n`)
  return true
}

export const tsc = join(root, 'node_modules/typescript/bin/tsc')
const vite = join(root, 'node_modules/vite/bin/vite.js')

function isBuilt() {
  if (!existsSync(builtStamp) || !existsSync(join(root, 'dist/main.js'))) return false
  if (!['dist/web/index.html', 'dist/docs/index.html'].every((page) => existsSync(join(root, page)))) return false
  const builtMs = Date.parse(readFileSync(builtStamp, 'utf8').trim())
  const inputs = ['src', 'web', 'docs', 'scripts/docs', 'README.md', 'tsconfig.json', 'package-lock.json'].map((name) =>
    join(root, name),
  )
  return inputs.every((path) => newestMs(path) < builtMs)
}

/** Folders count too: a file that was removed shows only in the time of its folder. */
function newestMs(path) {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestMs(join(path, name))), own.mtimeMs)
}
