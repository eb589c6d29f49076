/** What an alert says, in the form of each channel. */
import { uuid7 } from '../base/ids.ts'
import type { Alert } from '../model/alert.ts'
import type { StoredEvent } from '../model/event-of-row.ts'
import { teller } from '../notify/backend.ts'
import type { Message } from '../notify/notify.ts'
import { escapeSlack, slackMessage } from '../notify/slack.ts'
import { recordsText } from '../notify/text.ts'
import type { Row } from './condition.ts'

export type News = { alert: Alert; state: 'firing' | 'resolved'; rows: Row[]; atMs: number; publicUrl: string }

export function messageOf({ alert, state, rows, atMs, publicUrl }: News): Message {
  const url = `${publicUrl}/alerts/${alert.token}`
  const name = escapeSlack(alert.name)
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`
  const isFiring = state === 'firing'
  const line = isFiring ? `${alert.name}: ${count}` : `${alert.name}: resolved`
  const intro = alert.description ? `${alert.description}\n\n` : ''
  return {
    webhook: {
      result: rows,
      state,
      alert: { token: alert.token, name: alert.name, description: alert.description, url },
      at: new Date(atMs).toISOString(),
    },
    slack: slackMessage({
      headline: isFiring ? `📢 *${name}*, ${count} | ${url}` : `✅ *${name}*, resolved | ${url}`,
      button: { text: 'Manage', url },
      records: rows,
    }),
    email: { subject: `Alert ${line}`, text: `${intro}${line}\n${url}\n\n${recordsText(rows)}\n` },
    backend: {
      source: teller(alert),
      events: isFiring ? rows.map((row) => eventOf(row, alert, atMs)) : [eventOf({}, alert, atMs, line)],
    },
  }
}

/** A row that is an event stays that event; any other becomes one of the moment. */
function eventOf(row: Row, { token, name }: Alert, atMs: number, message = name): StoredEvent {
  const { id, timestamp, event_message } = row
  return {
    ...row,
    id: typeof id === 'string' && id !== '' ? id : uuid7(atMs),
    timestamp: Number.isSafeInteger(timestamp) ? Number(timestamp) : atMs * 1000,
    event_message: typeof event_message === 'string' ? event_message : message,
    alert: { token, name },
  }
}
