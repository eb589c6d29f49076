#!/usr/bin/env node
/** The `millrace` command. What goes wrong while starting is one sentence and exit code 1, never a stack trace. */
import { type App, startApp } from './app/app.ts'
import { collectGarbage } from './base/collect.ts'
import { Fault } from './base/faults.ts'
import { readSettings } from './settings.ts'

const STOP_WITHIN_MS = 10_000

const USAGE = `Usage: millrace serve

Starts the service. It is configured by environment variables; docs/guide/operating.md lists them.
`

function greet({ address, firstStart }: App): void {
  console.log(`Millrace is ready at ${address}`)
  if (!firstStart) return
  const { managementToken: token, sourceName } = firstStart
  console.log(`
Management token (shown only this once, keep it): ${token}

Send a first event:

  curl '${address}/api/logs?source_name=${sourceName}' \\
    -H 'X-API-KEY: ${token}' -H 'Content-Type: application/json' \\
    -d '{"message": "hello from my shell", "metadata": {"level": "info"}}'

and read it back:

  curl -G '${address}/api/query' -H 'X-API-KEY: ${token}' \\
    --data-urlencode 'sql=select timestamp, event_message from \`${sourceName}\` where timestamp > timestamp_sub(current_timestamp(), interval 1 hour)'

API documentation: ${address}/docs
Guides: ${address}/docs/guide
`)
}

async function serve(): Promise<void> {
  const app = await startApp(readSettings(process.env))
  greet(app)
  collectGarbage()
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
      app.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      )
    })
}

function fail(error: unknown): never {
  if (error instanceof Fault && error.code === 'setup') console.error(error.message)
  else console.error(`Millrace could not start: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

const [command = 'serve', ...rest] = process.argv.slice(2)
if (command === 'serve' && rest.length === 0) serve().catch(fail)
else {
  const isHelp = ['help', '--help', '-h'].includes(command)
  console[isHelp ? 'log' : 'error'](isHelp ? USAGE : `Unknown command: ${process.argv.slice(2).join(' ')}\n\n${USAGE}`)
  process.exitCode = isHelp ? 0 : 1
}
