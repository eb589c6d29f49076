/**
 * `npm test`: the whole check, on a fresh clone too. Installs what is missing, then lint, types, build and all tests.
 * Lint, types and build count as one test each. The last line is always `N passed, N failed`; the exit code is 1
 * when anything failed. Words after `--` narrow the test files (`npm test -- src/journal`).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installClickhouse } from './clickhouse.mjs'
import { build, installClients, installPackages, projectNode, root, runQuietly, say, tsc } from './prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'
import { afterSecondRun, tally } from './tally.mjs'

const total = { passed: 0, failed: 0 }
/** With more files than this broken, it is not the machine. */
const SECOND_RUN_FILES = 4

function count(name, worked) {
  say(`${name}: ${worked ? 'ok' : 'FAILED'}`)
  if (worked) total.passed += 1
  else total.failed += 1
  return worked
}

function finish() {
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exit(total.failed === 0 ? 0 : 1)
}

if (!installPackages()) {
  count('install', false)
  finish()
}
const unmet = [...installSystemPackages(), ...installClients(), ...installClickhouse()]
const bin = (name) => join(root, 'node_modules', name)

count('lint', runQuietly(projectNode, [bin('@biomejs/biome/bin/biome'), 'check', '.']))
count('types', runQuietly(projectNode, [tsc, '-p', 'tsconfig.test.json', '--noEmit']))
count('types of the web interface', runQuietly(projectNode, [tsc, '-p', 'web/tsconfig.json']))
const isBuilt = count('build', build())

function runTests(...words) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const run = spawnSync(projectNode, [bin('vitest/vitest.mjs'), 'run', ...reporters, ...words], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin('.bin')}:${process.env.PATH}` },
  })
  const counted = tally(report, run.status)
  rmSync(folder, { recursive: true, force: true })
  return counted
}

/** Most tests wait for something of the network, a disk or a browser, and a busy machine may keep them waiting. */
const mayRunAgain = ({ brokenFiles, hasFinding }) =>
  !hasFinding && brokenFiles.length > 0 && brokenFiles.length <= SECOND_RUN_FILES

let tests = runTests(...process.argv.slice(2))
if (mayRunAgain(tests)) {
  say('running the files that failed once more, alone …')
  tests = afterSecondRun(tests, runTests('--maxWorkers=1', ...tests.brokenFiles))
}
total.passed += tests.passed
total.failed += tests.failed

for (const name of tests.broken) say(`FAILED: ${name}`)
for (const name of tests.passedAlone ?? []) say(`ATTENTION: passed only when run alone: ${name}`)
for (const name of tests.skipped) say(`skipped: ${name}`)
for (const sentence of unmet) say(`ATTENTION: ${sentence}`)
if (tests.skipped.length > 0) say(`${tests.skipped.length} tests were skipped.`)
if (!isBuilt) say('the build failed, so tests of the built service could not pass.')
finish()
