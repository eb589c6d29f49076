/** Every component, looked at by the browser and by axe in both themes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

describe.skipIf(!hasChromium)('the design language', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
  })
  afterAll(() => web?.stop())

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('shuts nobody out and breaks no rule of the content policy, %s, %d pixels', async (theme, width) => {
    const page = await web.visitor({ theme, width })
    await page.goto('/design')
    await page.getByRole('heading', { name: 'Design' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `design-${theme}-${width}`)

    await page.getByRole('combobox', { name: 'Theme' }).click()
    await page.getByRole('option', { name: 'Dark' }).waitFor()
    await screenshot(page, `design-select-${theme}`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Drawer' }).click()
    await page.getByRole('dialog', { name: 'Event' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `design-drawer-${theme}`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Bad news' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    expect(await page.getByRole('button', { name: 'Delete source' }).isDisabled()).toBe(true)
    await page.getByLabel('Type my-app to go on').fill('my-app')
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, `design-confirm-${theme}`)
    await page.getByRole('button', { name: 'Delete source' }).click()
    await page.getByRole('dialog', { name: 'Delete my-app?' }).waitFor({ state: 'detached' })
    expect(page.complaints).toEqual([])
  })

  test('a single line stays one, also when several are pasted', async () => {
    const page = await web.visitor()
    await page.goto('/design')
    const search = page.getByRole('textbox', { name: 'Search' })
    await search.click()
    await page.keyboard.press('Control+a')
    await page.evaluate('navigator.clipboard.writeText("one\\ntwo")')
    await page.keyboard.press('Control+v')
    await page.getByText('one two').waitFor()
  })
})
