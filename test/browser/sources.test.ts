/** The list of sources and the frame around it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

describe.skipIf(!hasChromium)('sources', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
  })
  afterAll(() => web?.stop())

  const create = (fields: object): Promise<Response> =>
    web.service.fetch('/api/sources', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })

  test('an empty service says what a source is and how to get one', async () => {
    const sources = (await (await web.service.fetch('/api/sources')).json()) as { token: string }[]
    for (const { token } of sources) {
      await web.service.fetch(`/api/sources/${token}`, { method: 'DELETE' })
    }
    const page = await web.owner()
    await page.goto('/sources')
    await page.getByRole('heading', { name: 'No sources yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'sources-empty')
    await page.getByRole('link', { name: 'Create one and send an event' }).click()
    await page.getByRole('heading', { name: 'Create your first source' }).waitFor()
  })

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('the list is readable for everybody, %s, %d pixels wide', async (theme, width) => {
    for (const fields of [
      { name: 'api.prod', service_name: 'shop', favorite: true, description: 'requests at the edge' },
      { name: 'worker.prod', service_name: 'shop' },
      { name: 'postgres.logs', service_name: 'database', retention_days: 30 },
      { name: 'sandbox' },
    ]) {
      await create(fields)
    }
    await web.service.fetch('/api/logs?source_name=api.prod', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([
        { message: 'a', status: 200 },
        { message: 'b', tags: [[1]] },
      ]),
    })
    const page = await web.owner({ theme, width })
    await page.goto('/sources')
    await page.getByRole('link', { name: 'api.prod' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `sources-${theme}-${width}`)
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')
    expect(isTooWide).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('a source is made in the dialog; a name that is taken is told at its field', async () => {
    const page = await web.owner()
    await page.goto('/sources')
    await page.getByRole('button', { name: 'New source' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('sandbox')
    await dialog.getByRole('button', { name: 'Create source' }).click()
    await dialog.getByText('has already been taken').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'sources-dialog')
    await dialog.getByLabel('Name').fill('made in the dialog')
    await dialog.getByRole('button', { name: 'Create source' }).click()
    await page.getByRole('heading', { name: 'Send events to made in the dialog' }).waitFor()
    await screenshot(page, 'send')
    expect(page.complaints).toEqual([])
  })

  test('the command palette leads to a source by a piece of its name', async () => {
    const page = await web.owner()
    await page.goto('/sources')
    await page.getByRole('link', { name: 'api.prod' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('postgr')
    await screenshot(page, 'palette')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sources\/[0-9a-f-]{36}$/)
    expect(page.complaints).toEqual([])
  })

  test('on a small screen the navigation opens over the page', async () => {
    const page = await web.owner({ width: 390 })
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Navigation' }).click()
    await screenshot(page, 'navigation-390')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tokens' }).click()
    await page.waitForURL(/\/tokens$/)
  })

  test('a theme that was chosen outlives the page', async () => {
    const page = await web.owner({ theme: 'light' })
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Ada' }).click()
    await screenshot(page, 'account-menu')
    await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click()
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  })
})
