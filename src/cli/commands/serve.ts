import { collectGarbage } from '../../base/collect.ts'
import { Fault } from '../../base/faults.ts'
import type { Command, RunningApp } from '../command.ts'
import type { ExitCode } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { writeJson, writeLine } from '../print.ts'

const STOP_WITHIN_MS = 10_000

export const serve: Command = {
  name: 'serve',
  summary: 'Start the service',
  usage: '',
  about: 'It is configured by environment variables, which the README lists, and runs until it gets SIGTERM or SIGINT.',
  options: {},
  isRemote: false,
  arguments: { min: 0, max: 0 },
  examples: ['millrace serve', 'MILLRACE_DATA=/var/lib/millrace MILLRACE_PORT=8080 millrace serve'],
  async run({ env, stdout, startApp, is }) {
    const app = await startApp(env).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'setup') throw error
      throw new Failure(1, `Millrace could not start: ${error instanceof Error ? error.message : String(error)}`)
    })
    if (is('json')) await writeJson(stdout, { address: app.address, ...app.firstStart })
    else await writeLine(stdout, greeting(app))
    collectGarbage()
    return untilStopped(app)
  },
}

function untilStopped(app: RunningApp): Promise<ExitCode> {
  // Only a signal ends it.
  const { promise, reject } = Promise.withResolvers<ExitCode>()
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
      app.stop().then(
        () => process.exit(0),
        (error: unknown) => reject(error),
      )
    })
  return promise
}

function greeting({ address, firstStart }: RunningApp): string {
  const ready = `Millrace is ready at ${address}`
  if (!firstStart) return ready
  const { managementToken: token, sourceName } = firstStart
  return `${ready}

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
`
}
