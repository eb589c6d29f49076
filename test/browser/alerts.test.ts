/** The pages of alerts: made in a form, run by hand, told to a place, muted, and what they look like. */
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/service.ts'
import { barriersOn } from './support/axe.ts'
import { createSource, sendRequests } from './support/events.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

const QUERY = `select m.path, count(*) as failures
from \`shop.api\` cross join unnest(metadata) as m
where timestamp > timestamp_sub(current_timestamp(), interval 2 hour) and m.status >= 500
group by m.path
order by failures desc`

describe.skipIf(!hasChromium)('alerts', PATIENCE, () => {
  let web: Web
  let receiver: Server
  let hook = ''
  const received: string[] = []
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        received.push(body)
        response.end('ok')
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    hook = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}/hook`
    web = await startWeb()
    await createSource(web.service, { name: 'shop.api' })
    await createSource(web.service, { name: 'shop' })
    await sendRequests(web.service, 'shop', 60)
    await sendRequests(web.service, 'shop.api', 2000)
  })
  afterAll(async () => {
    await web?.stop()
    receiver?.close()
  })

  test('an alert is made, run by hand, told to a webhook, and muted', async () => {
    const page = await web.owner()
    await page.goto('/alerts')
    await page.getByRole('heading', { name: 'No alerts yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('link', { name: 'New alert' }).click()
    await page.getByLabel('Name').fill('failing_paths')
    await page.getByRole('textbox', { name: 'Query' }).fill(QUERY)
    await page.getByLabel('Schedule').fill('every minute')
    await page.getByLabel('Webhook').fill(hook)
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('must have five fields').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'alert-mistake')
    await page.getByLabel('Schedule').fill('0 9 * * 1-5')
    await page.getByText('Says: weekdays at 09:00.').waitFor()
    await page.getByRole('combobox', { name: 'Fires on' }).click()
    await page.getByRole('option', { name: 'A row whose value …' }).click()
    await page.getByLabel('Column').fill('failures')
    await page.getByLabel('With').fill('10')
    await page.getByRole('button', { name: 'Create alert' }).click()

    await page.getByRole('heading', { name: 'failing_paths' }).waitFor()
    await page.getByText('waiting', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('table', { name: 'What it finds' }).getByText('failures').waitFor()
    expect(received).toEqual([])
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'alert-ran')

    await page.getByRole('button', { name: 'Ways to run' }).click()
    await page.getByRole('menuitem', { name: 'Run, and tell webhook if it fires' }).click()
    await page.getByText('fired', { exact: true }).waitFor()
    await page.getByText('firing', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('table', { name: 'Runs' }).getByText('somebody').waitFor()
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
    expect(received[0]).toContain('failures')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'alert-history')

    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('menuitem', { name: 'For a day' }).click()
    await page.getByText('muted', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('menuitem', { name: 'Tell again' }).click()
    await page.getByText('firing', { exact: true }).first().waitFor()
    expect(page.complaints).toEqual([])
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('list and settings are readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const page = await web.owner({ theme, width })
    await page.goto('/alerts')
    await page.getByRole('link', { name: 'failing_paths' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `alerts-${theme}-${width}`)
    await page.getByRole('link', { name: 'failing_paths' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Time zone').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `alert-settings-${theme}-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('an alert in LQL is made as well, and can be deleted', async () => {
    const page = await web.owner()
    await page.goto('/alerts/new')
    await page.getByLabel('Name').fill('errors')
    await page.getByRole('combobox', { name: 'Language' }).click()
    await page.getByRole('option', { name: 'LQL' }).click()
    await page.getByLabel('Query').fill('m.level:error')
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('say what to read with f:name').waitFor()
    await page.getByLabel('Query').fill('f:shop m.level:error')
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('table', { name: 'What it finds' }).waitFor()
    await page.getByRole('button', { name: 'Actions for errors' }).click()
    await page.getByRole('menuitem', { name: 'Delete alert' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete alert' }).click()
    await page.waitForURL(/\/alerts$/)
    expect(page.complaints).toEqual([])
  })

  test('an alert runs on a backend, and is brought back to the own engine', async () => {
    const headers = { 'content-type': 'application/json' }
    const config = { url: 'postgres://nobody@127.0.0.1:1/none' }
    const made = await web.service.fetch('/api/backends', {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'archive', type: 'postgres', config }),
    })
    const { id: backendId }: { id: number } = JSON.parse(await made.text())
    const saved = async (): Promise<object> => {
      const alerts: { name: string }[] = JSON.parse(await (await web.service.fetch('/api/alerts')).text())
      return alerts.find(({ name }) => name === 'archived') ?? {}
    }
    const page = await web.owner()
    await page.goto('/alerts/new')
    await page.getByLabel('Name').fill('archived')
    await page.getByRole('textbox', { name: 'Query' }).fill('select event_message from shop')
    await page.getByRole('combobox', { name: 'Engine' }).click()
    await page.getByRole('option', { name: 'archive' }).click()
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByRole('heading', { name: 'archived' }).waitFor()
    expect(await saved()).toMatchObject({ language: 'pg_sql', backend_id: backendId })

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('combobox', { name: 'Engine' }).click()
    await page.getByRole('option', { name: 'Millrace' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await until(async () => JSON.stringify(await saved()).includes('"bq_sql"'))
    expect(await saved()).toMatchObject({ language: 'bq_sql', backend_id: null })
    expect(page.complaints).toEqual([])
  })
})
