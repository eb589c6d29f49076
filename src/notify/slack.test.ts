import { expect, test } from 'vitest'
import { escapeSlack, slackMessage } from './slack.ts'

const button = { text: 'Manage', url: 'https://logs.test/alerts/1' }

test('a headline with a button, then a box for each record: names sorted, times and links as such, no nulls', () => {
  const record = { url: 'https://a.test/x', b: { c: 1 }, at: 1_712_345_678_901_234, none: null, text: 'two\nlines' }
  expect(slackMessage({ headline: '*late*, 1 row', button, records: [record] })).toEqual({
    text: '*late*, 1 row',
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*late*, 1 row' },
        accessory: {
          type: 'button',
          text: { type: 'plain_text', text: 'Manage' },
          url: button.url,
          style: 'primary',
        },
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_preformatted',
            elements: [
              { type: 'text', text: 'at: 2024-04-05T19:34:38.901Z' },
              { type: 'text', text: '\nb: {"c":1}' },
              { type: 'text', text: '\ntext:\ntwo\nlines' },
              { type: 'text', text: '\nurl: ' },
              { type: 'link', url: 'https://a.test/x' },
            ],
          },
        ],
      },
    ],
  })
})

test('a message stays within what Slack takes, whatever the records hold', () => {
  const long = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field_${i}`, 'x'.repeat(900)]))
  const records = [...Array(100).fill(long), {}]
  const message: { blocks: { elements: { elements: object[] }[] }[] } = JSON.parse(
    JSON.stringify(slackMessage({ headline: 'h', button, records })),
  )
  expect(message.blocks.length).toBeLessThanOrEqual(50)
  for (const { elements } of message.blocks.slice(1))
    expect(JSON.stringify(elements[0]!.elements).length).toBeLessThan(3000)
  const empty = JSON.stringify(slackMessage({ headline: 'h', button, records: [{}] }))
  expect(empty).toContain('(no values)')
})

test('names of users mean nothing in the mark-up', () => {
  expect(escapeSlack('<!channel> & co')).toBe('&lt;!channel&gt; &amp; co')
})
