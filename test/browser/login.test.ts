/** Logging in, and what happens to people who are not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, OWNER, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

describe.skipIf(!hasChromium)('logging in', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
    const page = await web.owner()
    await page.context().close()
  })
  afterAll(() => web?.stop())

  async function logIn(page: WebPage, password: string): Promise<void> {
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  test('a wrong password is told, the right one leads to the page that was asked for', async () => {
    const page = await web.visitor()
    await page.goto('/tokens?a=b')
    await page.getByRole('heading', { name: 'Log in to Millrace' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'login')
    await logIn(page, 'not the password')
    await page.getByRole('alert').waitFor()
    await screenshot(page, 'login-wrong')
    await logIn(page, OWNER.password)
    await page.waitForURL(/\/tokens\?a=b$/)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a session that ended elsewhere leads to the login page and back', async () => {
    const page = await web.owner()
    await page.goto('/sources')
    await page.getByRole('heading', { name: 'Sources', exact: true }).waitFor()
    await page.context().clearCookies()
    // The list asks again by itself every few seconds; coming back to the window asks at once.
    await page.waitForURL(/\/login\?next=%2Fsources$/)
    await logIn(page, OWNER.password)
    await page.getByRole('heading', { name: 'Sources', exact: true }).waitFor()
  })

  test('an identity provider that sent somebody back is explained', async () => {
    const page = await web.visitor()
    await page.goto('/login?error=oidc_not_invited')
    await page.getByText('Nobody has invited you yet').waitFor()
  })

  test('logging out ends the session in the browser and in the service', async () => {
    const page = await web.owner()
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Ada' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in to Millrace' }).waitFor()
    expect((await page.request.get('/api/session')).status()).toBe(401)
  })
})
