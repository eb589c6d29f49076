/** From the link of an invitation to being logged in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

describe.skipIf(!hasChromium)('an invitation', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
    const page = await web.owner()
    await page.context().close()
  })
  afterAll(() => web?.stop())

  test('lets somebody in who chooses a name and a password, once', async () => {
    const invited = await web.service.fetch('/api/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'grace@example.com', role: 'member' }),
    })
    const { link } = (await invited.json()) as { link: string }
    const path = new URL(link).pathname + new URL(link).search

    const page = await web.visitor()
    await page.goto(path)
    await page.getByRole('heading', { name: 'You are invited' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'invitation')
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Password').fill('another long password')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await page.getByRole('heading', { name: 'Sources', exact: true }).waitFor()

    const late = await web.visitor()
    await late.goto(path)
    await late.getByLabel('Name').fill('Mallory')
    await late.getByLabel('Password').fill('another long password')
    await late.getByRole('button', { name: 'Accept the invitation' }).click()
    await late.getByRole('alert').waitFor()
    expect(page.complaints).toEqual([])
  })
})
