/** Parts for the tests of this folder: a catalog in memory, a clock to set, queries that answer what they are told. */
import { Fault } from '../base/faults.ts'
import { openCatalog } from '../catalog/catalog.ts'
import { createMail } from '../mail/mail.ts'
import type { Alert, NewAlert } from '../model/alert.ts'
import { createNotifier } from '../notify/notify.ts'
import type { Row } from './condition.ts'
import { createFire } from './fire.ts'
import { createScheduler } from './scheduler.ts'

type Options = { smtpUrl?: string; pausesMs?: number[]; url?: string }

export async function startWorld({ smtpUrl, pausesMs = [5, 5], url }: Options = {}) {
  let nowMs = Date.UTC(2026, 10, 15, 10)
  const clock = { nowMs: () => nowMs }
  const place = url ? { url } : { file: ':memory:' }
  const catalog = await openCatalog({ ...place, secretKey: Buffer.alloc(32, 1), clock })
  const account = (await catalog.accounts.ensureOwner()).account.id
  let answer: Row[] | string = []
  const ran: string[] = []
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const count = () => ({ value: 0 })
  const notifier = createNotifier({
    mail: smtpUrl ? createMail({ url: smtpUrl, from: 'millrace@test.test' }) : null,
    counted: count,
    onError,
    pausesMs,
    surroundings: { timeoutMs: 20_000 },
  })
  const fire = createFire({
    async run(alert) {
      ran.push(alert.name)
      if (typeof answer === 'string') throw new Fault('query_failed', answer)
      const json = Buffer.from(JSON.stringify(answer))
      return { json, cost: { rows: answer.length, bytesScanned: 0, ms: 1, columns: [], truncated: false }, sources: [] }
    },
    ...{ catalog, notifier, clock, publicUrl: 'https://logs.test', counted: count, onError },
  })
  const newScheduler = () => createScheduler({ catalog, fire, clock, counted: count, onError })
  const scheduler = newScheduler()
  let made = 0

  return {
    ...{ catalog, account, fire, scheduler, newScheduler, notifier, ran, errors, clock },
    find(rows: Row[] | string) {
      answer = rows
    },
    pass(minutes: number) {
      nowMs += minutes * 60_000
    },
    newAlert: (fields: Partial<NewAlert> = {}): Promise<Alert> =>
      catalog.alerts.create(
        account,
        { name: `alert ${++made}`, query: 'select 1', cron: '* * * * *', ...fields },
        check,
      ),
    now: async (token: string): Promise<Alert> => (await catalog.alerts.byToken(account, token))!,
    runs: ({ id }: Alert) => catalog.alertRuns.list(id, { limit: 1000, beforeId: null }),
    async stop() {
      await scheduler.stop()
      await notifier.stop()
      await catalog.stop()
    },
  }
}

const check = async () => ({ source_mapping: {}, parameters: [] })
