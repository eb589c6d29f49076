/** What a source says, in the form of each channel. */
import type { Source } from '../model/source.ts'
import { teller } from '../notify/backend.ts'
import type { Message } from '../notify/notify.ts'
import { escapeSlack, slackMessage } from '../notify/slack.ts'
import { recordsText } from '../notify/text.ts'

export const KINDS = ['schema_changes', 'rejected_events', 'backend_failures', 'pattern', 'test'] as const
export type Kind = (typeof KINDS)[number]

export type Told = {
  kind: Kind
  /** Told apart from others of its kind: the name of a pattern. */
  name?: string
  count: number
  /** A few of what it is about; the first are kept. */
  samples: Record<string, unknown>[]
}

type News = {
  source: Source
  told: Told
  atMs: number
  publicUrl: string
}

export function messageOf({ source: { token, name }, told, atMs, publicUrl }: News): Message {
  const { kind, count, samples } = told
  const url = `${publicUrl}/sources/${token}`
  const words = wordsOf(told)
  return {
    webhook: {
      ...{ source: token, source_name: name, kind, name: told.name ?? null, rate: count, samples },
      recent_events: samples.flatMap(({ event_message: text }) => (typeof text === 'string' ? [text] : [])),
      ...{ at: new Date(atMs).toISOString(), url },
    },
    slack: slackMessage({
      headline: `*${escapeSlack(words)}* for \`${escapeSlack(name)}\``,
      button: { text: 'View source', url },
      records: samples,
    }),
    email: { subject: `${name}: ${words}`, text: `${words} for ${name}\n${url}\n\n${recordsText(samples)}\n` },
    backend: { source: teller({ token, name }), events: [] },
  }
}

function wordsOf({ kind, name, count }: Told): string {
  switch (kind) {
    case 'schema_changes':
      return count === 1 ? '1 new field' : `${count} new fields`
    case 'rejected_events':
      return count === 1 ? '1 rejected event' : `${count} rejected events`
    case 'backend_failures':
      return count === 1 ? '1 failure of a backend' : `${count} failures of backends`
    case 'pattern':
      return `${name}: ${count === 1 ? '1 event' : `${count} events`}`
    case 'test':
      return 'test message'
  }
}
