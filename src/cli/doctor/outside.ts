/** What the service needs from outside: its own answer, backends, mail. */
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { VERSION } from '../../http/openapi.ts'
import { recordOf } from '../api.ts'
import { Failure } from '../failure.ts'
import { type Check, type Finding, ok, problem, skipped, warning } from './check.ts'

const MAIL_TIMEOUT_MS = 5_000

export const serviceCheck: Check = {
  name: 'service',
  async run({ service, settings }) {
    if (!service) return [skipped(`No service answers on port ${settings.port} of ${settings.host}`)]
    const { health } = service
    const warehouse = recordOf(health.warehouse)
    const found: Finding[] = []
    if (warehouse.ready === false)
      found.push(
        warning('The query engine is not ready.', 'Wait a moment; if it stays so, look at the log of the service.'),
      )
    if (Array.isArray(warehouse.damaged) && warehouse.damaged.length > 0)
      found.push(
        problem(
          `${warehouse.damaged.length} parts are damaged.`,
          'GET /health names them; restore them from a backup.',
        ),
      )
    return found.length > 0 ? found : [ok(`${service.url} is well`)]
  },
}

export const nodesCheck: Check = {
  name: 'nodes',
  async run({ service, settings }) {
    if (!settings.databaseUrl) return [skipped('DATABASE_URL is not set: there is one node')]
    if (!service) return [skipped('The service does not run')]
    const { live, unreachable, warnings } = recordOf(service.health.nodes)
    const found: Finding[] = []
    for (const text of Array.isArray(warnings) ? warnings : [])
      found.push(warning(String(text), 'docs/guide/scale.md says what nodes share.'))
    for (const one of Array.isArray(unreachable) ? unreachable : []) {
      const { address, reason } = recordOf(one)
      const advice = 'Let nodes reach each other, or set MILLRACE_NODE_ADDRESS on that one to where they reach it.'
      found.push(problem(`The node at ${address} cannot be reached: ${reason}`, advice))
    }
    return found.length > 0 ? found : [ok(`${live} nodes share the metadata and reach each other`)]
  },
}

export const versionCheck: Check = {
  name: 'version',
  async run({ service, api }) {
    if (!service) return [ok(`This command is ${VERSION}`)]
    const answer = await api.fetch('/api/openapi.json').catch(() => null)
    const { info } = recordOf(answer?.ok ? await answer.json().catch(() => null) : null)
    const running = recordOf(info).version
    if (typeof running === 'string' && running !== VERSION)
      return [warning(`This command is ${VERSION}, the service ${running}.`, 'Restart the service after an update.')]
    return [ok(`This command and the service are ${VERSION}`)]
  },
}

export const backendsCheck: Check = {
  name: 'backends',
  async run({ service, api }) {
    if (!service) return [skipped('The service does not run')]
    try {
      const backends = await api.list('/api/backends')
      const found = await Promise.all(
        backends.map(async ({ name, token }): Promise<Finding> => {
          const status = recordOf(await api.json('GET', `/api/backends/${token}/status`))
          if (status.state === 'ok') return ok(`${name} takes events`)
          const reason = `${name} is ${status.state}, ${status.lag_events} events behind: ${status.last_error}`
          return problem(reason, `millrace backends test ${name}`)
        }),
      )
      return found.length > 0 ? found : [ok('There are none')]
    } catch (error) {
      if (error instanceof Failure && error.exitCode === 4) return [skipped('Needs a management token: --token')]
      throw error
    }
  },
}

export const mailCheck: Check = {
  name: 'mail',
  async run({ settings: { smtpUrl } }) {
    if (!smtpUrl) return [skipped('MILLRACE_SMTP_URL is not set')]
    const { hostname, port, protocol } = new URL(smtpUrl)
    const isTls = protocol === 'smtps:'
    const number = Number(port || (isTls ? 465 : 587))
    const place = `${hostname}:${number}`
    try {
      const greeting = await greetingOf(hostname, number, isTls)
      if (greeting.startsWith('220')) return [ok(`The mail server at ${place} answers`)]
      return [problem(`${place} is no mail server: ${greeting.slice(0, 80)}`, 'Correct MILLRACE_SMTP_URL.')]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return [
        problem(`The mail server at ${place} does not answer: ${reason}`, 'Start it, or correct MILLRACE_SMTP_URL.'),
      ]
    }
  },
}

function greetingOf(host: string, port: number, isTls: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ host, port, servername: host }) : connect({ host, port })
    socket.setTimeout(MAIL_TIMEOUT_MS, () => socket.destroy(new Error('it says nothing')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('it closed the connection')))
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1').trim())
      socket.destroy()
    })
  })
}
