/** The part that tells people and programs, from the settings. */
import type { Logger } from 'pino'
import type { Metrics } from '../base/metrics.ts'
import { createMail } from '../mail/mail.ts'
import { CHANNELS } from '../model/alert-run.ts'
import { type Address, createNotifier, type Notifier } from '../notify/notify.ts'
import type { Settings } from '../settings.ts'

type Parts = { settings: Pick<Settings, 'smtpUrl' | 'mailFrom'>; metrics: Metrics; log: Logger }

export function createTheNotifier({ settings: { smtpUrl, mailFrom }, metrics, log }: Parts): Notifier {
  const counted = (channel: Address['channel'], state: 'sent' | 'failed') =>
    metrics.counter('millrace_notifications_total', 'Messages that were sent, or given up', { channel, state })
  // Known from the start, so that a rate can be taken of the first one.
  for (const channel of CHANNELS) for (const state of ['sent', 'failed'] as const) counted(channel, state)
  return createNotifier({
    mail: smtpUrl && mailFrom ? createMail({ url: smtpUrl, from: mailFrom }) : null,
    counted,
    onError: (error) => log.warn({ err: error }, 'a mail was not sent'),
  })
}
