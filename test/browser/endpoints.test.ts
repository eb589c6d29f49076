/** The pages of endpoints: publish, try, change, go back, and see who may call. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { createSource, sendRequests } from './support/events.ts'
import { loggedInAs } from './support/roles.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

const QUERY = `with requests as (
  select timestamp, event_message, m.path, m.status, m.ms
  from \`shop.api\` cross join unnest(metadata) as m
  where timestamp > timestamp_sub(current_timestamp(), interval 2 hour)
)
select path, count(*) as requests, round(avg(ms), 1) as mean_ms
from requests
where status >= @min_status
group by path
order by requests desc`

describe.skipIf(!hasChromium)('endpoints', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
    await createSource(web.service, { name: 'shop.api' })
    await sendRequests(web.service, 'shop.api', 2000)
  })
  afterAll(() => web?.stop())

  async function publish(fields: object): Promise<string> {
    const answer = await web.service.fetch('/api/endpoints', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    const { token } = (await answer.json()) as { token: string }
    return token
  }

  test('a query is published, tried with a value, changed, and brought back', async () => {
    const page = await web.owner()
    await page.goto('/endpoints')
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.goto(`/endpoints/new?${new URLSearchParams({ query: `${QUERY}\n)` })}`)
    await page.getByLabel('Name').fill('slow_paths')
    await page.getByRole('button', { name: 'Create endpoint' }).click()
    await page.locator('.cm-lintRange-error').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-mistake')
    await page.getByRole('textbox', { name: 'Query' }).press('Control+End')
    await page.getByRole('textbox', { name: 'Query' }).press('Backspace')
    await page.getByRole('button', { name: 'Create endpoint' }).click()

    await page.getByRole('heading', { name: 'slow_paths' }).waitFor()
    await page.getByLabel('min_status').fill('404')
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByText('fresh', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByText('from the cache').waitFor()
    expect(page.url()).toContain('p.min_status=404')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-try')

    await page.getByRole('tab', { name: 'Call it' }).click()
    await page.getByText('min_status=404').first().waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-call')

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Keep answers for, in seconds').fill('60')
    await page.getByRole('switch', { name: 'Needs a token' }).click()
    await page.getByRole('textbox', { name: 'Query' }).press('Control+End')
    await page.getByRole('textbox', { name: 'Query' }).pressSequentially('\nlimit 2')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save as next version' }).click()
    await page.getByText('Saved as version 2.').first().waitFor()
    await page.getByText('unsecured').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-settings')

    await page.getByRole('tab', { name: /Versions/ }).click()
    await page.getByRole('button', { name: /Version 1/ }).click()
    const lines = page.getByRole('region', { name: 'Query, line by line' })
    await lines.getByText('+ limit 2').waitFor()
    await page.getByRole('table', { name: 'Settings that differ' }).getByText('3600').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-versions')
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByText('Version 1 is back, as version 3.').first().waitFor()
    await page.getByText('version 3', { exact: true }).waitFor()
    await page.getByText('unsecured').waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.getByText('cached').waitFor()
    expect(page.complaints).toEqual([])
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('the list tells which are open to everybody, %s, %d pixels wide', async (theme, width) => {
    const name = `open_${theme}`
    await publish({ name, query: 'select 1 as one', description: 'the smallest of all', enable_auth: false })
    const page = await web.owner({ theme, width })
    await page.goto('/endpoints')
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) })
    await row.getByText('unsecured').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `endpoints-${theme}-${width}`)
    await row.getByRole('link', { name }).click()
    await page.getByText('Everybody who knows the address').waitFor()
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByText('fresh', { exact: true }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `endpoint-${theme}-${width}`)
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Keep answers for, in seconds').waitFor()
    await screenshot(page, `endpoint-settings-${theme}-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('where it is allowed, a query of one’s own runs over the WITH queries and nothing else', async () => {
    const token = await publish({ name: 'sandboxed', query: QUERY, sandboxable: true })
    const page = await web.owner()
    const at = (own: string, text: string): string => `/endpoints/${token}?${new URLSearchParams({ own, text })}`
    await page.goto(at('sql', 'select max(ms) as longest from requests'))
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByRole('table', { name: 'Answer' }).getByText('longest').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'endpoint-sandbox')
    await page.goto(at('sql', 'select 1 from `shop.api`'))
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByRole('heading', { name: 'The call was refused' }).waitFor()
    await page.goto(at('lql', 'status:500 c:count(*) c:group_by(t::hour)'))
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByRole('table', { name: 'Answer' }).waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a viewer may call and read, and is told why not more', async () => {
    const token = await publish({ name: 'for_viewers', query: 'select 2 as two', enable_auth: true })
    const page = await loggedInAs(web, 'viewer')
    await page.goto('/endpoints')
    await page.getByRole('link', { name: 'for_viewers' }).waitFor()
    expect(await page.getByRole('link', { name: 'New endpoint' }).count()).toBe(0)
    await page.goto(`/endpoints/${token}`)
    await page.getByRole('button', { name: 'Call endpoint' }).click()
    await page.getByRole('table', { name: 'Answer' }).waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('you need the role member').waitFor()
    expect(await page.getByLabel('Name').isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Query' }).press('x')
    expect(await page.getByRole('textbox', { name: 'Query' }).textContent()).toBe('select 2 as two')
    expect(await barriersOn(page)).toEqual([])
    expect(page.complaints).toEqual([])
  })
})
