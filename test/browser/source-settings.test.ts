/** The settings of a source: saved together, tried on an event, and what follows from them. */
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/service.ts'
import { barriersOn } from './support/axe.ts'
import { loggedInAs } from './support/roles.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

type Source = { token: string; name: string; [field: string]: unknown }

describe.skipIf(!hasChromium)('source settings', PATIENCE, () => {
  let web: Web
  let shop: Source
  let errors: Source
  /** Of the owner. */
  let page: WebPage

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await web.service.fetch(path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return text === '' ? (null as T) : JSON.parse(text)
  }
  const recent = (token: string): Promise<{ event_message: string }[]> => call('GET', `/api/sources/${token}/recent`)
  const stored = (): Promise<Source> => call('GET', `/api/sources/${shop.token}`)

  beforeAll(async () => {
    web = await startWeb()
    page = await web.owner()
    shop = await call('POST', '/api/sources', {
      name: 'shop.checkout',
      description: 'Orders and payments',
      service_name: 'shop',
      retention_days: 30,
      labels: 'team=shop,env=prod',
    })
    errors = await call('POST', '/api/sources', { name: 'errors', service_name: 'on-call' })
    await call('POST', '/api/key-values', { key: 'u1', value: { org: { name: 'Acme' }, tier: 'gold' } })
    await call('POST', '/api/backends', {
      name: 'audit hook',
      type: 'webhook',
      config: { url: 'http://127.0.0.1:9/x' },
    })
    const day = 86_400_000
    await call('POST', `/api/logs?source=${shop.token}`, [
      { message: 'old order', timestamp: new Date(Date.now() - 20 * day).toISOString(), metadata: { level: 'info' } },
      {
        message: 'POST /orders 500',
        metadata: {
          level: 'error',
          user: { id: 'u1', email: 'ada@example.com' },
          request: { path: '/orders', headers: { cookie: 'sid=1234567890', host: 'shop.example.com' } },
          status: 500,
        },
      },
      { message: 'broken', tags: [1, { a: 1 }] },
    ])
  })
  afterAll(() => web?.stop())

  test.each(['light', 'dark'] as const)('every tab is readable for everybody, %s', async (theme) => {
    const page = await web.owner({ theme })
    await page.goto(`/sources/${shop.token}/settings`)
    for (const [tab, words] of [
      ['General', 'Retention in days'],
      ['Pipeline', 'Stored as it is.'],
      ['Routing', 'No rules yet'],
      ['Backends', 'Get every event'],
      ['Notifications', 'What to tell'],
      ['Rejected', 'tags mixes'],
      ['How to send', 'Paste it into a terminal.'],
      ['Danger zone', 'Delete this source'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByText(words).first().waitFor()
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), tab).toBe(false)
        await screenshot(page, `settings-${tab.replaceAll(' ', '-').toLowerCase()}-${theme}-${width}`)
      }
      expect(await barriersOn(page), tab).toEqual([])
    }
    expect(page.url()).toContain('tab=danger')
    await page.reload()
    await page.getByText('Delete this source').waitFor()
    await screenshot(page, `settings-tab-in-view-${theme}`)
    expect(page.complaints).toEqual([])
    await page.context().close()
  })

  test('a bad rule is told in the preview and at its field, and nothing is saved', async () => {
    await page.goto(`/sources/${shop.token}/settings?tab=pipeline`)
    await page.getByLabel('Copy fields').fill('m.user.id:user_id\nm.user.id:not-legal')
    await page.getByText(/^Copy fields: line 2/).waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByLabel('Copy fields').and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByText(/Not saved: transform_copy_fields line 2/).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'settings-422')
    expect((await stored()).transform_copy_fields).toBeNull()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Stored as it is.').waitFor()
    expect(await page.getByLabel('Copy fields').inputValue()).toBe('')
  })

  test('rules show what they do to a recent event before they are saved, and do it afterwards', async () => {
    await page.goto(`/sources/${shop.token}/settings?tab=pipeline`)
    await page.getByText('Stored as it is.').waitFor()
    await page.getByLabel('Copy fields').fill('m.request.path:path')
    await page.getByLabel('Enrich with key-values').fill('m.user.id:customer:org.name')
    await page.getByLabel('Drop fields').fill('m.request.headers')
    const after = page.getByRole('region', { name: 'Event after the rules' })
    await after.getByText('"customer": "Acme"').waitFor()
    await after.getByText('"path": "/orders"').first().waitFor()
    await after.getByText('"cookie": "sid=1234567890"').waitFor()
    await screenshot(page, 'settings-preview')
    await page.getByLabel('Drop events').fill('m.level:error')
    await page.getByText('This event would be dropped').waitFor()
    await page.getByLabel('Drop events').fill('m.level:debug')
    await after.waitFor()
    // Another tab keeps what is not saved.
    await page.getByRole('tab', { name: 'General' }).click()
    await page.getByLabel('Description').fill('Orders, payments, refunds')
    await page.getByText('5 settings are changed and not saved.').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.', { exact: true }).first().waitFor()
    expect(await stored()).toMatchObject({
      description: 'Orders, payments, refunds',
      transform_copy_fields: 'm.request.path:path',
      drop_lql_string: 'm.level:debug',
    })
    await call('POST', `/api/logs?source=${shop.token}`, [
      {
        message: 'kept',
        metadata: { level: 'info', user: { id: 'u1' }, request: { path: '/cart', headers: { a: 'b' } } },
      },
      { message: 'not kept', metadata: { level: 'debug' } },
    ])
    const newest = (await recent(shop.token)).at(-1)
    expect(newest).toMatchObject({ event_message: 'kept', path: '/cart', customer: 'Acme' })
    expect(newest).not.toHaveProperty('metadata.request.headers')
    expect(page.complaints).toEqual([])
  })

  test('a shorter retention says how many events it deletes before it does', async () => {
    await page.goto(`/sources/${shop.token}/settings`)
    await page.getByLabel('Retention in days').fill('7')
    await page.getByText(/Saving this deletes all events before .* 1 event now/).waitFor()
    await screenshot(page, 'settings-retention')
    await page.getByRole('link', { name: 'Key-values' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/key-values$/)
    expect((await stored()).retention_days).toBe(30)
  })

  test('a rule is checked while it is typed, made, and copies events; deleted, it does not', async () => {
    await page.goto(`/sources/${shop.token}/settings?tab=routing`)
    await page.getByRole('button', { name: 'New rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    await dialog.getByLabel('Events that match').fill('m.level:"error')
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Events that match').fill('m.no_such_field:1')
    await dialog.getByText('It can be saved').waitFor()
    await dialog.getByLabel('Events that match').fill('m.level:error')
    await dialog.getByText('Can be read.').waitFor()
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await dialog.getByText("can't be blank").waitFor()
    expect(await barriersOn(page)).toEqual([])
    await dialog.getByLabel('Source', { exact: true }).click()
    await page.getByRole('option', { name: /errors/ }).click()
    await screenshot(page, 'settings-rule')
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('table', { name: 'Rules of this source' }).getByText('m.level:error').waitFor()
    await screenshot(page, 'settings-rules')
    const send = (message: string): Promise<unknown> =>
      call('POST', `/api/logs?source=${shop.token}`, [{ message, metadata: { level: 'error' } }])
    await send('copied')
    await until(async () => (await recent(errors.token)).some(({ event_message }) => event_message === 'copied'))

    await page.goto(`/sources/${errors.token}/settings?tab=routing`)
    await page
      .getByRole('table', { name: /Rules of other sources/ })
      .getByText('shop.checkout')
      .click()
    await page.getByRole('button', { name: 'Delete the rule m.level:error' }).click()
    await page.getByRole('button', { name: 'Delete rule', exact: true }).click()
    await page.getByText('No rules yet').waitFor()
    await send('not copied')
    expect((await recent(errors.token)).map(({ event_message }) => event_message)).toEqual(['copied'])
    expect(page.complaints).toEqual([])
  })

  test('a backend is attached and detached', async () => {
    await page.goto(`/sources/${shop.token}/settings?tab=backends`)
    await page.getByLabel('Backend to attach').click()
    await page.getByRole('option', { name: /audit hook/ }).click()
    await page.getByRole('button', { name: 'Attach' }).click()
    await page.getByRole('table', { name: 'Attached backends' }).getByText('audit hook').waitFor()
    await screenshot(page, 'settings-backends')
    expect((await stored()).backends).toMatchObject([{ name: 'audit hook' }])
    await page.getByRole('button', { name: 'Detach audit hook' }).click()
    await page.getByRole('button', { name: 'Detach', exact: true }).click()
    await page.getByLabel('Backend to attach').waitFor()
    expect((await stored()).backends).toEqual([])
  })

  test('what to tell and whom is checked at its fields, kept with the source, and tried', async () => {
    const heard: string[] = []
    const hook = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => heard.push(text))
      request.on('end', () => response.end())
    })
    const { promise: isListening, resolve } = Promise.withResolvers<void>()
    hook.listen(0, '127.0.0.1', resolve)
    await isListening
    const address = hook.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`

    await page.goto(`/sources/${shop.token}/settings?tab=notifications`)
    await page.getByLabel('Errors').click()
    await page.getByText('Nobody would hear of it').waitFor()
    await page.getByLabel('Webhook').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Add a pattern' }).click()
    await page.getByLabel('Pattern', { exact: true }).fill('outage')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('must be an http or https address', { exact: true }).waitFor()
    await page.getByText("can't be blank", { exact: true }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByLabel('Webhook').fill(url)
    await page.getByLabel('Events that match').fill('m.status:>=500')
    await page.getByText('Can be read.').waitFor()
    await page.getByLabel('At least').fill('20')
    expect(await page.getByRole('button', { name: 'Send a test message' }).isDisabled()).toBe(true)
    await screenshot(page, 'settings-notifications')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.', { exact: true }).first().waitFor()
    expect((await stored()).notifications).toMatchObject({
      emails: [],
      webhook_url: url,
      errors: true,
      schema_changes: false,
      patterns: [{ name: 'outage', lql: 'm.status:>=500', threshold: 20, window_minutes: 10 }],
    })
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByRole('list', { name: 'Deliveries' }).getByText('sent').waitFor()
    expect(heard.join('')).toContain('"kind":"test"')
    hook.close()
    hook.closeAllConnections()
  })

  test('a rejected event is shown with its reason and what was sent', async () => {
    await page.goto(`/sources/${shop.token}/settings?tab=rejected`)
    await page.getByRole('button', { name: /tags mixes/ }).click()
    await page.getByRole('dialog').getByText('"message": "broken"').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'settings-rejected-event')
  })

  test('somebody who may only look can change nothing, and is told why', async () => {
    const page = await loggedInAs(web, 'viewer')
    await page.goto(`/sources/${shop.token}/settings`)
    await page.getByText('Changing it needs the role member').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'Pipeline' }).click()
    expect(await page.getByLabel('Copy fields').isDisabled()).toBe(true)
    await page.getByText(/Stored/).waitFor()
    await page.getByRole('tab', { name: 'Routing' }).click()
    await page.getByText('No rules yet').waitFor()
    expect(await page.getByRole('button', { name: 'New rule' }).count()).toBe(0)
    await page.getByRole('tab', { name: 'Danger zone' }).click()
    expect(await page.getByRole('button', { name: 'Delete source …' }).isDisabled()).toBe(true)
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'settings-viewer')
  })

  test('events, and then the source, go only when its name was typed', async () => {
    await page.goto(`/sources/${errors.token}/settings?tab=danger`)
    await page.getByRole('button', { name: 'Delete events …' }).click()
    const confirm = page.getByRole('dialog')
    expect(await confirm.getByRole('button', { name: 'Delete events' }).isDisabled()).toBe(true)
    await confirm.getByRole('textbox').fill('errors')
    await confirm.getByRole('button', { name: 'Delete events' }).click()
    await page.getByText('The events of errors are deleted.').first().waitFor()
    expect(await recent(errors.token)).toEqual([])
    await page.getByRole('button', { name: 'Delete source …' }).click()
    await confirm.getByRole('textbox').fill('errors')
    await screenshot(page, 'settings-delete')
    await confirm.getByRole('button', { name: 'Delete source' }).click()
    await page.waitForURL(/\/sources$/)
    await page.getByRole('link', { name: 'shop.checkout' }).waitFor()
    expect(await page.getByRole('link', { name: 'errors', exact: true }).count()).toBe(0)
    expect(page.complaints).toEqual([])
  })
})
