/** The SQL page: a query and its rows, a mistake at its place, charts, files, history, and who may publish. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { createSource, sendRequests } from './support/events.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

const LATELY = 'timestamp > timestamp_sub(current_timestamp(), interval 2 hour)'
const BY_MINUTE = `select timestamp_trunc(timestamp, minute) as minute, m.level, count(*) as requests, round(avg(m.ms), 1) as mean_ms
from \`shop.api\` cross join unnest(metadata) as m
where ${LATELY}
group by minute, m.level
order by minute`

describe.skipIf(!hasChromium)('sql', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
    await createSource(web.service, { name: 'shop.api' })
    await sendRequests(web.service, 'shop.api', 3000)
  })
  afterAll(() => web?.stop())

  const editorOf = (page: WebPage) => page.getByRole('textbox', { name: 'SQL query' })
  const at = (query: Record<string, string>): string => `/query?${new URLSearchParams(query)}`

  test('a query of the address is restored, runs with Ctrl-Enter, and a row shows its values whole', async () => {
    const page = await web.owner()
    await page.goto(at({ sql: `select * from \`shop.api\` where ${LATELY} order by timestamp limit 400` }))
    await editorOf(page).press('Control+Enter')
    await page.getByText(/^400 rows · .+ read · [\d,]+ ms$/).waitFor()
    const table = page.getByRole('table', { name: 'Result' })
    expect(await table.getAttribute('aria-rowcount')).toBe('401')
    expect(await table.getByRole('row').count()).toBeLessThan(100)
    await table.getByRole('button', { name: 'Show row 2', exact: true }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'Copy metadata' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"tags": [')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'query-row')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    expect(page.complaints).toEqual([])
  })

  test('a mistake is marked where it stands, with the words of the service', async () => {
    const page = await web.owner()
    await page.goto(at({ sql: `select event_message, statuss\nfrom \`shop.api\`\nwhere ${LATELY}` }))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('heading', { name: 'The query was refused' }).waitFor()
    await page.locator('.cm-lintRange-error').waitFor()
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('statuss')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'query-mistake')
    await editorOf(page).press('End')
    await editorOf(page).pressSequentially(' ')
    await page.locator('.cm-lintRange-error').waitFor({ state: 'detached' })
    expect(page.complaints).toEqual([])
  })

  test('sources and fields are completed', async () => {
    const page = await web.owner()
    await page.goto('/query')
    await page.getByRole('button', { name: 'Newest events' }).waitFor()
    await screenshot(page, 'query-empty')
    await editorOf(page).pressSequentially('select 1 from sho')
    await page.getByRole('option', { name: /shop\.api/ }).click()
    await editorOf(page).pressSequentially(' where metadata.sta')
    await page.getByRole('option', { name: /metadata\.status/ }).waitFor()
    await screenshot(page, 'query-completion')
    // Not by a key: for a moment after it opens, the list takes none, so that typing goes on undisturbed.
    await page.getByRole('option', { name: /metadata\.status/ }).click()
    expect(await editorOf(page).textContent()).toBe('select 1 from shop.api where metadata.status')
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('rows and charts are readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const page = await web.owner({ theme, width })
    await page.goto(at({ sql: BY_MINUTE }))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Show row 1', exact: true }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `query-${theme}-${width}`)
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.locator('figure canvas').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `query-chart-${theme}-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('rows are taken away as CSV, NDJSON and Parquet, and the query becomes an endpoint', async () => {
    const page = await web.owner()
    await page.goto(at({ sql: `select event_message from \`shop.api\` where ${LATELY} limit 3` }))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/^3 rows/).waitFor()
    const starts = new Map([
      ['CSV', 'event_message'],
      ['NDJSON', '{"event_message":"GET '],
      ['Parquet', 'PAR1'],
    ])
    for (const [label, start] of starts) {
      await page.getByRole('button', { name: 'Download' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: label }).click(),
      ])
      expect(download.suggestedFilename()).toBe(`result.${label.toLowerCase()}`)
      expect((await readFile(await download.path())).toString('latin1')).toMatch(new RegExp(`^${start}`))
    }
    await page.getByRole('button', { name: 'Save as endpoint' }).click()
    await page.getByRole('heading', { name: 'New endpoint' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Query' }).textContent()).toContain('select event_message')
    expect(page.complaints).toEqual([])
  })

  test('a query that takes long can be cancelled', async () => {
    const page = await web.owner()
    const many = 'unnest(generate_array(1, 300000))'
    await page.goto(at({ sql: `select sum(a * b) as x from ${many} as a cross join ${many} as b` }))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/^Running, \d+\.\d s$/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a backend that can be queried is an engine to choose, and its refusals are shown', async () => {
    await web.service.fetch('/api/backends', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'archive', type: 'postgres', config: { url: 'postgres://u:p@127.0.0.1:1/none' } }),
    })
    const page = await web.owner()
    await page.goto(at({ sql: `select 1 from "shop.api" where timestamp > now()` }))
    await page.getByRole('combobox', { name: 'Engine' }).click()
    await page.getByRole('option', { name: 'archive' }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('heading', { name: 'The query was refused' }).waitFor()
    expect(page.url()).toContain('engine=')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'query-engine')
    expect(page.complaints).toEqual([])
  })

  test('what was asked is remembered, and the log of the service tells of it', async () => {
    const page = await web.owner()
    await page.goto(at({ sql: 'select 41 + 1 as answer' }))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/^1 row /).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: /select 41 \+ 1/ }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.getByRole('table', { name: 'Log of queries' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'query-log')
    await page.reload()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: /select 41 \+ 1/ }).waitFor()
  })
})
