/** Messages in Slack's blocks: a line with a button, then one box for each record. */
import { dateOf } from './values.ts'

/** Slack takes 50 blocks, of 3000 characters each. */
const RECORDS_SHOWN = 20
const BOX_CHARS = 2_500
const VALUE_CHARS = 1_000

type Fields = Record<string, unknown>
type Element = { type: 'text'; text: string } | { type: 'link'; url: string }

type Parts = {
  /** In Slack's mark-up; what comes from users is escaped before. */
  headline: string
  button: { text: string; url: string }
  records: Fields[]
}

export function slackMessage({ headline, button, records }: Parts): object {
  const section = {
    type: 'section',
    text: { type: 'mrkdwn', text: headline },
    accessory: {
      type: 'button',
      text: { type: 'plain_text', text: button.text },
      url: button.url,
      style: 'primary',
    },
  }
  const boxes = records.slice(0, RECORDS_SHOWN).map((record) => ({
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: boxOf(record) }],
  }))
  // Shown where there is no room for blocks, as in the notifications of a phone.
  return { text: headline, blocks: [section, ...boxes] }
}

/** The three signs that mean something in Slack's mark-up. */
export const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function boxOf(record: Fields): Element[] {
  const elements: Element[] = []
  let room = BOX_CHARS
  for (const name of Object.keys(record).sort()) {
    const value = record[name]
    if (value === null || value === undefined) continue
    const shown = textOf(value)
    room -= name.length + shown.length + 3
    if (room < 0) break
    const lead = `${elements.length > 0 ? '\n' : ''}${name}:`
    if (typeof value === 'string' && /^https?:\/\/\S+$/.test(value) && URL.canParse(value))
      elements.push({ type: 'text', text: `${lead} ` }, { type: 'link', url: value })
    else elements.push({ type: 'text', text: `${lead}${shown.includes('\n') ? '\n' : ' '}${shown}` })
  }
  // Slack refuses a box with nothing in it.
  return elements.length > 0 ? elements : [{ type: 'text', text: '(no values)' }]
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (dateOf(value) ?? JSON.stringify(value))
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text
}
