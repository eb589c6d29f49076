#!/usr/bin/env node
/**
 * The `millrace` command of an installed package. Runs on Node 20 and hands over to the Node that the package brings: as
 * another process, to which signals are passed on and whose exit code becomes its own.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 26
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) await import('../dist/main.js')
else run(ownNode())

function ownNode() {
  const program = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node')
  if (existsSync(program)) return program
  console.error(
    `Millrace needs Node ${NEEDED_MAJOR}, and this is ${process.version}. Its package "node" brings it, but its install script did ` +
      'not run: install again with scripts allowed, or run Millrace on a newer Node.',
  )
  process.exit(1)
}

function run(program) {
  const child = spawn(program, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'])
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the other process by itself.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    })
  child.on('error', (error) => {
    console.error(`Millrace could not be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
