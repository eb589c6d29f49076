/** The page of those who look after the service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

const SLOW =
  'select count(*) c from unnest(generate_array(1, 200000)) a cross join unnest(generate_array(1, 200000)) b where mod(a * b, 7) = 3'

describe.skipIf(!hasChromium)('system', PATIENCE, () => {
  let web: Web
  const post = (path: string, body: unknown): Promise<Response> =>
    web.service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  beforeAll(async () => {
    web = await startWeb()
    for (const name of ['api.prod', 'worker.prod']) await post('/api/sources', { name })
    const events = Array.from({ length: 500 }, (_, index) => ({ message: `request ${index}`, status: 200 }))
    await post('/api/logs?source_name=api.prod', events)
    await post('/api/query', { sql: 'select nothing from nowhere' })
  })
  afterAll(() => web?.stop())

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('every part is readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const page = await web.owner({ theme, width })
    for (const [tab, ready] of [
      ['overview', 'DuckDB'],
      ['storage', 'api.prod'],
      ['queries', 'failed'],
      ['changes', 'sources'],
    ] as const) {
      await page.goto(`/system?tab=${tab}`)
      await page.getByRole('tabpanel').getByText(ready).first().waitFor()
      expect(await barriersOn(page)).toEqual([])
      await screenshot(page, `system-${tab}-${theme}-${width}`)
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), tab).toBe(false)
    }
    expect(page.complaints).toEqual([])
    await page.context().close()
  })

  test('a query that runs is seen and ended, and whoever asked is told', async () => {
    const page = await web.owner()
    await page.goto('/system?tab=queries')
    const asked = post('/api/query', { sql: SLOW })
    const running = page.getByRole('table', { name: 'Running queries' })
    await running.getByText('cross join').waitFor()
    await screenshot(page, 'system-running')
    await running.getByRole('button', { name: 'End' }).click()
    expect((await asked).status).toBe(400)
    await page.getByText('No query runs at this moment.').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a service that cannot be reached is told in its own words', async () => {
    const page = await web.owner()
    await page.route('**/api/system', (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"The service is draining."}' }),
    )
    await page.goto('/system')
    await page.getByText('The service is draining.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  })
})
