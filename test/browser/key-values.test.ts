/** Key-values: one by one, and by file in both directions. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { loggedInAs } from './support/roles.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

type Entry = { key: string; value: Record<string, unknown> }

describe.skipIf(!hasChromium)('key-values', PATIENCE, () => {
  let web: Web
  /** Of the owner. */
  let page: WebPage
  beforeAll(async () => {
    web = await startWeb()
    page = await web.owner()
  })
  afterAll(() => web?.stop())

  const stored = async (query = ''): Promise<Entry[]> =>
    (await (await web.service.fetch(`/api/key-values${query}`)).json()) as Entry[]

  async function importFile(name: string, text: string): Promise<void> {
    await page.getByRole('button', { name: 'Import' }).first().click()
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  }

  test('entries are added, refused with words at the field, changed and deleted', async () => {
    await page.goto('/key-values')
    await page.getByRole('heading', { name: 'No key-values yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'key-values-empty')
    await page.getByRole('button', { name: 'New entry' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Value').fill('{ "org": ')
    await dialog.getByText(/is no JSON/).waitFor()
    await dialog.getByLabel('Value').fill('{}')
    await dialog.getByRole('button', { name: 'Add entry' }).click()
    await dialog.getByText("can't be blank").first().waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'key-values-entry')
    await dialog.getByLabel('Key').fill('u1')
    await dialog.getByLabel('Value').fill('{ "org": "Acme" }')
    await dialog.getByRole('button', { name: 'Add entry' }).click()
    await page.getByRole('button', { name: 'u1', exact: true }).click()
    await dialog.getByLabel('Value').fill('{ "org": "Beta" }')
    await dialog.getByRole('button', { name: 'Save entry' }).click()
    await page.getByText('{"org":"Beta"}').waitFor()
    expect(await stored()).toMatchObject([{ key: 'u1', value: { org: 'Beta' } }])
    await page.getByRole('button', { name: 'Delete u1' }).click()
    await page.getByRole('button', { name: 'Delete entry' }).click()
    await page.getByRole('heading', { name: 'No key-values yet' }).waitFor()
    expect(await stored()).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('files are imported whole or refused with the place, exported, and imported again the same', async () => {
    await page.goto('/key-values')
    await importFile('bad.ndjson', '{"key":"a","value":{"n":1}}\n{"key":"b","value":5}\n')
    await page.getByText('Line 2: the value must be an object with a field.').waitFor()
    expect(await page.getByRole('button', { name: 'Import' }).last().isDisabled()).toBe(true)
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'key-values-import-refused')
    await page.keyboard.press('Escape')

    const names = Array.from({ length: 120 }, (_, n) => `customer-${String(n).padStart(3, '0')}`)
    const csv = ['key,org,tier', ...names.map((name, n) => `${name},"Org ${n}, Ltd",${n % 2 ? 'gold' : ''}`)].join('\n')
    await importFile('customers.csv', csv)
    await page.getByText('120 entries found.').waitFor()
    await screenshot(page, 'key-values-import')
    await page.getByRole('button', { name: 'Import' }).last().click()
    await page.getByText('120 entries imported.').first().waitFor()
    expect((await stored('?key=customer-001'))[0]?.value).toEqual({ org: 'Org 1, Ltd', tier: 'gold' })

    // The list comes in pages.
    await page.getByRole('button', { name: 'customer-099', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'customer-119', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'customer-119', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'NDJSON' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('key-values.ndjson')
    const exported = readFileSync(await download.path(), 'utf8')
    expect(exported.trim().split('\n')).toHaveLength(120)
    const before = await stored()
    await web.service.fetch('/api/key-values', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keys: names }),
    })
    await importFile('key-values.ndjson', exported)
    await page.getByRole('button', { name: 'Import' }).last().click()
    await page.getByText('120 entries imported.').first().waitFor()
    const plain = (entries: Entry[]): Entry[] => entries.map(({ key, value }) => ({ key, value }))
    expect(plain(await stored())).toEqual(plain(before))
    expect(page.complaints).toEqual([])
  })

  test('a search stands in the address, and what it finds is deleted together', async () => {
    await page.goto('/key-values')
    await page.getByLabel('Search keys').fill('MER-00')
    await page.waitForURL(/search=MER-00/)
    await page.getByText('10 entries').waitFor()
    await page.getByLabel('Choose customer-003').click()
    await page.getByLabel('Choose all shown').click()
    await page.getByText('10 chosen').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'key-values-delete')
    await page.getByRole('button', { name: 'Delete entries' }).click()
    await page.getByText('No key holds').waitFor()
    expect(await stored('?search=mer-00')).toEqual([])
    expect(await stored()).toHaveLength(110)
  })

  test.each(['light', 'dark'] as const)('the list is readable for everybody, %s', async (theme) => {
    const page = await web.owner({ theme })
    await page.goto('/key-values?search=customer-01')
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.getByRole('button', { name: 'customer-010', exact: true }).waitFor()
      expect(await barriersOn(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
      await screenshot(page, `key-values-${theme}-${width}`)
    }
    expect(page.complaints).toEqual([])
  })

  test('somebody who may only look can look and export, and change nothing', async () => {
    const page = await loggedInAs(web, 'viewer')
    await page.goto('/key-values')
    await page.getByRole('button', { name: 'Export' }).waitFor()
    await page.getByRole('button', { name: 'customer-010', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    for (const name of ['New entry', 'Import', 'Delete customer-010']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    }
    expect(await barriersOn(page)).toEqual([])
  })
})
