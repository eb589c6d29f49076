/** Syslog over UDP at a steady rate: nobody can be told to slow down, so what counts is that nothing is lost at that rate. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, until } from '../../test/support/service.ts'
import { judge, thousands } from '../table.ts'
import { createSource, query, type Scenario, SOURCE, startMeasured, TOKEN } from './scenario.ts'

const PER_SECOND = 40_000
const SENDER = join(import.meta.dirname, '../load/datagrams.ts')

export const syslog: Scenario = {
  name: 'syslog',
  async run({ datagrams }) {
    const port = await freePort()
    const env = {
      MILLRACE_SYSLOG_PORT: String(port),
      MILLRACE_SYSLOG_TOKEN: TOKEN,
      MILLRACE_SYSLOG_SOURCE: SOURCE,
    }
    const service = await startMeasured({ env })
    try {
      await createSource(service)
      const args = [SENDER, port, datagrams, PER_SECOND].map(String)
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const { sent, seconds } = JSON.parse(stdout)
      const health = async () => JSON.parse(await (await service.fetch('/health')).text()).syslog
      const stored = async (): Promise<number> =>
        Number(
          (await query(service, `select count(*) as n from \`${SOURCE}\` where timestamp > '2026-01-01'`))[0]?.n ?? 0,
        )
      await until(async () => {
        const { received, refused, shed } = await health()
        return (await stored()) >= received - refused - shed
      }, 60_000)
      const found = await stored()
      const { shed, lost, refused } = await health()
      const perSecond = sent / seconds
      return [
        {
          scenario: 'syslog over UDP, one message a datagram',
          ours: `${thousands(perSecond)}/s sent, ${sent - found} of ${thousands(sent)} not stored (${shed} shed, ${lost} lost by the system, ${refused} refused)`,
          target: `none lost at ${thousands(PER_SECOND)}/s`,
          verdict: judge(found === sent && perSecond > 0.95 * PER_SECOND),
          scale: '',
          figures: { perSecond, sent, stored: found, shed, lost, refused },
        },
      ]
    } finally {
      await service.remove()
    }
  },
}
