/** The part that tells people and programs, from the settings. */
import type { Logger } from 'pino'
import type { Metrics } from '../base/metrics.ts'
import { createMail } from '../mail/mail.ts'
import { createNotifier, type Notifier } from '../notify/notify.ts'
import type { Settings } from '../settings.ts'

type Parts = { settings: Pick<Settings, 'smtpUrl' | 'mailFrom'>; metrics: Metrics; log: Logger }

export function createTheNotifier({ settings: { smtpUrl, mailFrom }, metrics, log }: Parts): Notifier {
  return createNotifier({
    mail: smtpUrl && mailFrom ? createMail({ url: smtpUrl, from: mailFrom }) : null,
    counted: (channel, state) =>
      metrics.counter('millrace_notifications_total', 'Messages that were sent, or given up', { channel, state }),
    onError: (error) => log.warn({ err: error }, 'a mail was not sent'),
  })
}
