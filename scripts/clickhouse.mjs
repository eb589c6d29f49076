/** The ClickHouse engine for tests: a library of its own folder, as it is too large to be a package of everybody's. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, runQuietly, say } from './prepare.mjs'

const folder = join(root, 'test', 'clickhouse')
const variant = `lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
const isThere = () => existsSync(join(folder, 'node_modules', '@chdb', variant))

/** Installs it when it is missing, and answers a sentence when that did not work. */
export function installClickhouse() {
  if (process.env.MILLRACE_TEST_CLICKHOUSE || isThere()) return []
  say('installing the ClickHouse library for tests …')
  runQuietly('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefix', folder])
  return isThere()
    ? []
    : [
        `the ClickHouse library (${variant}) cannot be installed here: its tests are SKIPPED. Name a server in MILLRACE_TEST_CLICKHOUSE to run them.`,
      ]
}
