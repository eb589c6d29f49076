/** The search page: from a query to an event, live tail, and everything a search can be kept or taken away as. */
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

const MINUTE_MS = 60_000
const EVENTS = 600
const ERRORS = 30

describe.skipIf(!hasChromium)('search', PATIENCE, () => {
  let web: Web
  let token: string
  let page: WebPage
  const startMs = Date.now() - 60 * MINUTE_MS

  const post = async <Answer>(path: string, body: object): Promise<Answer> => {
    const answer = await web.service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const newSource = async (fields: object): Promise<string> =>
    (await post<{ token: string }>('/api/sources', fields)).token
  const send = (to: string, batch: object[]): Promise<unknown> => post(`/api/logs?source=${to}`, { batch })

  const eventOf = (n: number): object => ({
    id: `event ${n}`,
    timestamp: new Date(startMs + (n * 50 * MINUTE_MS) / EVENTS).toISOString(),
    message: n % 20 === 0 ? `order ${n} failed: card "declined"` : `order ${n} paid`,
    metadata: {
      level: n % 20 === 0 ? 'error' : 'info',
      path: n % 2 ? '/v1/orders' : '/v1/checkout',
      ms: n,
      tags: ['shop', `shard-${n % 3}`],
    },
  })

  beforeAll(async () => {
    web = await startWeb()
    token = await newSource({ name: 'shop.prod' })
    await send(
      token,
      Array.from({ length: EVENTS }, (_, n) => eventOf(n)),
    )
    page = await web.owner()
  })
  afterAll(() => web?.stop())
  beforeEach(() => {
    page.complaints.length = 0
  })

  const address = (lql: string, more: Record<string, string> = {}): string =>
    `/sources/${token}/search?${new URLSearchParams({ lql, tz: 'UTC', ...more })}`
  const rows = (): Locator => page.getByRole('option')
  const lqlNow = (): string => new URL(page.url()).searchParams.get('lql') ?? ''
  const editor = (): Locator => page.getByRole('textbox', { name: 'LQL query' })
  const open = async (lql: string, more: Record<string, string> = {}): Promise<void> => {
    await page.goto(address(lql, more))
    await rows().first().waitFor()
  }
  async function type(text: string): Promise<void> {
    await editor().click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.type(text)
  }

  test('a query is typed and run with Enter; its events, newest first, and its chart are shown', async () => {
    await open('t:last@2hour')
    await type('failed t:last@2hour')
    await page.keyboard.press('Enter')
    await page.getByText(`${ERRORS} shown`).waitFor()
    expect(await rows().first().textContent()).toContain('order 580 failed')
    await page.getByText(`error ${ERRORS}`).waitFor()
    expect(lqlNow()).toBe('failed t:last@2hour')
    expect(page.complaints).toEqual([])
  })

  test('what can be typed next is offered, and Tab takes it', async () => {
    await open('t:last@2hour')
    await type('m.lev')
    await page.getByRole('option', { name: /m\.level:/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('option', { name: /^error/ }).waitFor()
    await page.keyboard.type('err')
    await page.getByRole('option', { name: /^info/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+Enter')
    await page.getByText(`${ERRORS} shown`).waitFor()
    expect(lqlNow()).toBe('m.level:error')
  })

  test('an unknown field is marked where it stands, and the correction is one press away', async () => {
    await open('t:last@2hour')
    await type('order m.levle:error')
    await page.keyboard.press('Enter')
    const refusal = page.getByRole('alert')
    await refusal.getByText('There is no field m.levle in this source.').waitFor()
    await refusal.getByText('At character 7').waitFor()
    await page.locator('.cm-lintRange-error', { hasText: 'm.levle' }).waitFor()
    await screenshot(page, 'search-refused')
    await refusal.getByRole('button', { name: 'Use m.level' }).click()
    await page.getByText(`${ERRORS} shown`).waitFor()
    expect(lqlNow()).toBe('order m.level:error')
  })

  test('a press on a bar and a drag over several look closer; zooming out and the way back lead out again', async () => {
    await open('t:last@2hour')
    const plot = page.locator('.u-over')
    await plot.waitFor()
    const box = (await plot.boundingBox())!
    const across = (part: number): number => box.x + box.width * part
    const middle = box.y + box.height / 2
    await page.mouse.move(across(0.6), middle)
    await page.mouse.down()
    await page.mouse.move(across(0.8), middle, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(({ searchParams }) => searchParams.get('lql')!.includes('Z..'))
    const wide = rangeOf(lqlNow())
    await page.locator('[aria-label="Events over time"][aria-busy=false]').waitFor()
    await plot.click({ position: { x: box.width / 2, y: box.height / 2 } })
    await page.waitForURL(({ searchParams }) => lengthOf(searchParams.get('lql')!) < wide[1] - wide[0])
    const close = rangeOf(lqlNow())
    expect(close[0]).toBeGreaterThanOrEqual(wide[0])
    expect(close[1]).toBeLessThanOrEqual(wide[1])
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.waitForURL(({ searchParams }) => lengthOf(searchParams.get('lql')!) > close[1] - close[0])
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await page.waitForURL(({ searchParams }) => searchParams.get('lql') === 't:last@2hour')
    expect(page.complaints).toEqual([])
  })

  test('the time picker writes the time of the query, also a range of one’s own in another zone', async () => {
    await open('m.level:error')
    await page.getByRole('button', { name: 'Time: All that is kept' }).click()
    await page.getByRole('button', { name: 'Last 4 hours' }).click()
    await page.waitForURL(({ searchParams }) => searchParams.get('lql') === 'm.level:error t:last@4hour')
    await page.getByRole('button', { name: 'Time: Last 4 hours' }).click()
    const sheet = page.getByRole('dialog', { name: 'Time of the search' })
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'search-time')
    await sheet.getByLabel('Time zone').fill('Asia/Nowhere')
    await sheet.getByText('No zone has this name.').waitFor()
    await sheet.getByLabel('Time zone').fill('Asia/Kolkata')
    await sheet.getByLabel('Time zone').press('Enter')
    await page.waitForURL(({ searchParams }) => searchParams.get('tz') === 'Asia/Kolkata')
    const from = new Date(startMs + 5.5 * 60 * MINUTE_MS).toISOString().slice(0, 19)
    const to = new Date(startMs + (5.5 * 60 + 25) * MINUTE_MS).toISOString().slice(0, 19)
    await sheet.getByLabel('From').fill(from)
    await sheet.getByLabel('To').fill(to)
    await sheet.getByRole('button', { name: 'Search this range' }).click()
    await page.getByText('15 shown').waitFor()
    expect(lqlNow()).toBe(`m.level:error t:${from}..${to}`)
  })

  test('a field shows its values with counts, and one press filters in or out', async () => {
    await open('t:last@2hour')
    await page.getByRole('button', { name: /^m\.path/ }).click()
    const values = page.getByRole('list', { name: 'Values of metadata.path' })
    await values.getByText('/v1/checkout').waitFor()
    await values.getByText('300').first().waitFor()
    await page.getByRole('button', { name: 'Without m.path:/v1/checkout' }).click()
    await page.waitForURL(({ searchParams }) => searchParams.get('lql') === 't:last@2hour -m.path:"/v1/checkout"')
    await page.getByText('200 shown, more below').waitFor()
    await page.getByRole('button', { name: /^m\.level/ }).click()
    await page.getByText('No event of this search has it.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show metadata.ms as a column' }).click()
    await page.waitForURL(({ searchParams }) => searchParams.get('columns') === 'metadata.ms')
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('rowheader', { name: 'm.tags' }).waitFor()
    await page
      .getByRole('tab', { name: /^Fields/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Hide the column metadata.ms' }).click()
    expect(page.complaints).toEqual([])
  })

  test('the list is walked with the keys; an event opens beside it, with its neighbours and a page of its own', async () => {
    await open('m.level:error t:last@2hour')
    await page.getByRole('listbox', { name: 'Events' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('order 560 failed').first().waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'search-event')
    await drawer.getByRole('tab', { name: 'JSON' }).click()
    await drawer.getByText('"ms": 560').waitFor()
    await drawer.getByRole('tab', { name: 'Surrounding events' }).click()
    await drawer.getByRole('button', { name: /order 559 paid/ }).click()
    await drawer.getByText('order 559 paid').first().waitFor()
    await drawer.getByRole('button', { name: 'Copy link' }).click()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).toContain(`/sources/${token}/events/event%20559?timestamp=`)

    await page.goto(link)
    await page.getByText('order 559 paid').first().waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByText('/v1/orders', { exact: true }).hover()
    await page.getByRole('button', { name: 'Only events with this metadata.path' }).click()
    await page.waitForURL(/\/search\?/)
    expect(lqlNow()).toContain('m.path:"/v1/orders"')
    await rows().first().waitFor()

    await page.goto(`/sources/${token}/events/nobody`)
    await page.getByText('There is no event with this id in this source.').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('an address brings back the search as it was left, with the open event', async () => {
    const timestamp = String(Date.parse(new Date(startMs + (40 * 50 * MINUTE_MS) / EVENTS).toISOString()) * 1000)
    const visitor = await web.owner()
    await visitor.goto(
      address('failed t:last@2hour', {
        columns: 'metadata.ms,metadata.path',
        wrap: '1',
        event: 'event 40',
        at: timestamp,
      }),
    )
    await visitor.getByRole('dialog').getByText('order 40 failed').first().waitFor()
    await visitor.keyboard.press('Escape')
    await visitor.getByRole('dialog').waitFor({ state: 'detached' })
    await visitor.getByText(`${ERRORS} shown`).waitFor()
    expect(await visitor.getByRole('option').first().textContent()).toContain('/v1/checkout')
    await visitor.getByRole('button', { name: 'One line for each event' }).waitFor()
    expect(visitor.complaints).toEqual([])
    await visitor.context().close()
  })

  test('live tail shows what arrives, holds it while paused, and gives it back', async () => {
    const live = await newSource({ name: 'live.prod' })
    await page.goto(`/sources/${live}/search?tz=UTC`)
    await page.getByText('This source has no events yet').waitFor()
    await page.getByRole('button', { name: 'Live tail' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('Waiting for events').waitFor()
    await send(live, [{ message: 'first one' }])
    await rows().filter({ hasText: 'first one' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await send(live, [{ message: 'second one' }, { message: 'third one' }])
    await page.getByText('2 waiting').waitFor()
    expect(await rows().count()).toBe(1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await rows().filter({ hasText: 'third one' }).waitFor()
    expect(await rows().count()).toBe(3)
    await page.getByRole('button', { name: 'Stop live tail' }).click()
    await send(live, [{ message: 'nobody looks' }])
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await rows().filter({ hasText: 'nobody looks' }).waitFor()
    expect(await rows().count()).toBe(4)
    expect(page.complaints).toEqual([])
  })

  test('who reads further down is not disturbed by new events, and is told of them', async () => {
    await open('s:*', { live: '1' })
    await page.getByText('live', { exact: true }).waitFor()
    await page.evaluate("document.querySelector('[role=listbox]').scrollTo(0, 2000)")
    await page.getByRole('option', { name: /order 599 / }).waitFor({ state: 'detached' })
    await send(token, [{ id: 'late', message: 'came meanwhile', metadata: { level: 'debug' } }])
    await page.getByRole('button', { name: '1 new event' }).click()
    await rows().filter({ hasText: 'came meanwhile' }).waitFor()
  })

  test('a viewer may search, and is told why nothing can be saved', async () => {
    const { link } = await post<{ link: string }>('/api/invitations', { email: 'vic@example.com', role: 'viewer' })
    const viewer = await web.visitor()
    await viewer.goto(new URL(link).pathname + new URL(link).search)
    await viewer.getByLabel('Name').fill('Vic')
    await viewer.getByLabel('Password').fill('another long password')
    await viewer.getByRole('button', { name: 'Accept the invitation' }).click()
    await viewer.getByRole('heading', { name: 'Sources', exact: true }).waitFor()
    await viewer.goto(address('m.level:error t:last@2hour'))
    await viewer.getByText(`${ERRORS} shown`).waitFor()
    await viewer.getByRole('button', { name: 'Saved' }).click()
    const save = viewer.getByRole('menuitem', { name: 'Save this search (needs the role member)' })
    expect(await save.getAttribute('aria-disabled')).toBe('true')
    await viewer.context().close()
  })

  test('a search is saved, run again and deleted', async () => {
    await open('m.level:error t:last@2hour')
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('menuitem', { name: 'Save this search …' }).click()
    await page.getByLabel('Name').fill('what failed')
    await page.getByRole('button', { name: 'Save search' }).click()
    await page.getByText('Saved as what failed.').first().waitFor()
    await open('t:last@2hour')
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('menuitem', { name: 'what failed' }).click()
    await page.waitForURL(({ searchParams }) => searchParams.get('lql') === 'm.level:error t:last@2hour')
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('menuitem', { name: 'All saved searches …' }).click()
    await page.getByRole('button', { name: 'Delete what failed' }).click()
    await page.getByRole('button', { name: 'Delete search' }).click()
    await page.getByText('No search of this source is saved.').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a source that asks for keys gets them from a dialog; a required one cannot be passed over', async () => {
    const keyed = await newSource({ name: 'keyed.prod', suggested_keys: 'm.user' })
    await send(keyed, [
      { message: 'of ada', metadata: { user: 'ada' } },
      { message: 'of bob', metadata: { user: 'bob' } },
    ])
    await page.goto(`/sources/${keyed}/search?tz=UTC`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Searches should name m.user').waitFor()
    await screenshot(page, 'search-keys')
    await dialog.getByRole('button', { name: 'Run anyway' }).click()
    await rows().filter({ hasText: 'of bob' }).waitFor()
    expect(new URL(page.url()).searchParams.get('force')).toBe('true')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await dialog.getByLabel('m.user').fill('ada')
    await dialog.getByRole('button', { name: 'Add and search' }).click()
    await page.getByText('1 shown').waitFor()
    expect(lqlNow()).toBe('m.user:ada')

    await web.service.fetch(`/api/sources/${keyed}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ suggested_keys: 'm.user!' }),
    })
    await page.goto(`/sources/${keyed}/search?tz=UTC&lql=of`)
    await dialog.getByText('Searches must name m.user').waitFor()
    expect(await dialog.getByRole('button', { name: 'Run anyway' }).count()).toBe(0)
  })

  test('the events leave as CSV, NDJSON and Parquet', async () => {
    await open('m.level:error t:last@2hour')
    for (const [label, format] of [
      ['CSV', 'csv'],
      ['NDJSON', 'ndjson'],
      ['Parquet', 'parquet'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: label, exact: true }).click(),
      ])
      expect(file.suggestedFilename()).toBe(`shop.prod.${format}`)
      const text = readFileSync(await file.path(), 'latin1')
      if (format === 'parquet') expect(text.slice(0, 4)).toBe('PAR1')
      else expect(text.trim().split('\n')).toHaveLength(format === 'csv' ? ERRORS + 1 : ERRORS)
    }
  })

  test('a search goes on as SQL', async () => {
    await open('m.level:error t:last@2hour')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Open as SQL' }).click()
    await page.waitForURL(/\/query\?/)
    const sql = new URL(page.url()).searchParams.get('sql') ?? ''
    const answer = await post<{ result: unknown[] }>('/api/query', { sql })
    expect(answer.result).toHaveLength(ERRORS)
  })

  test('a search that takes long can be cancelled', async () => {
    await page.route(/\/search\?/, async (route) => {
      if (route.request().resourceType() === 'document') await route.continue()
    })
    await page.goto(address('t:last@2hour'))
    await page.getByText(/Searching … \d/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The search was cancelled').waitFor()
    await page.unroute(/\/search\?/)
    await page.getByRole('button', { name: 'Search again' }).click()
    await rows().first().waitFor()
  })

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('the page is readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const window = await web.owner({ theme, width, height: width === 390 ? 844 : 900 })
    await window.goto(address('t:last@2hour', { columns: 'metadata.path' }))
    await window.getByRole('option').first().waitFor()
    await window.locator('.u-over').waitFor()
    expect(await barriersOn(window)).toEqual([])
    await screenshot(window, `search-${theme}-${width}`)
    expect(await window.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
    if (width === 390) {
      await window.getByRole('button', { name: 'Fields' }).click()
      await window
        .getByRole('dialog')
        .getByRole('button', { name: /^m\.level/ })
        .waitFor()
      await screenshot(window, `search-fields-${theme}-${width}`)
    }
    expect(window.complaints).toEqual([])
    await window.context().close()
  })

  test('without a source in the address one is chosen', async () => {
    await page.goto('/search')
    await page.getByLabel('Filter sources').fill('shop')
    await page.getByRole('link', { name: /shop\.prod/ }).click()
    await rows().first().waitFor()
  })

  const rangeOf = (lql: string): [number, number] => {
    const [from = '', to = ''] = (/t:(\S+Z\.\.\S+Z)/.exec(lql)?.[1] ?? '').split('..')
    return [Date.parse(from), Date.parse(to)]
  }
  const lengthOf = (lql: string): number => {
    const [from, to] = rangeOf(lql)
    return to - from
  }
})
