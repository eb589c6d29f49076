#!/usr/bin/env node
/** The `millrace` command: gives it the world it runs in, and ends with its exit code. */
import { runCli } from './cli/cli.ts'
import { readSettings } from './settings.ts'

const interrupted = new AbortController()
// `serve` takes signals over when the service runs.
process.once('SIGINT', () => interrupted.abort())
// Whoever reads the output may leave before its end.
process.stdout.on('error', () => process.exit(0))

const exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
  startApp: async (env) => (await import('./app/app.ts')).startApp(readSettings(env)),
})

// Not waited for: what a failed start has left open. Waited for: what was printed into a pipe.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
process.exit(exitCode)
