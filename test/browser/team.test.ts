/** People: invitations from link to log-in, roles and what they hide, one's own account, and sessions that end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/service.ts'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

const PASSWORD = 'another long password'

describe.skipIf(!hasChromium)('team and account', PATIENCE, () => {
  let web: Web
  let page: WebPage
  beforeAll(async () => {
    web = await startWeb()
    page = await web.owner()
  })
  afterAll(() => web?.stop())

  const json = { 'content-type': 'application/json' }

  async function invited(email: string, role: string, name: string): Promise<WebPage> {
    const made = await web.service.fetch('/api/invitations', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email, role }),
    })
    const { token } = (await made.json()) as { token: string }
    const visitor = await web.visitor()
    const accepted = await visitor.context().request.post('/api/invitations/accept', {
      data: { token, name, password: PASSWORD },
    })
    expect(accepted.status()).toBe(201)
    return visitor
  }

  test('an invitation is made, its link opened, and the new person is in the list', async () => {
    await page.goto('/team')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('grace@example.com')
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'viewer' }).click()
    expect(await barriersOn(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make the invitation' }).click()
    const link = (await dialog.getByRole('region', { name: 'the link' }).textContent()) ?? ''
    await screenshot(page, 'team-link')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('tab', { name: /Invitations/ }).click()
    await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor()
    expect(await barriersOn(page)).toEqual([])

    const grace = await web.visitor()
    await grace.goto(new URL(link).pathname + new URL(link).search)
    await grace.getByLabel('Name').fill('Grace')
    await grace.getByLabel('Password').fill(PASSWORD)
    await grace.getByRole('button', { name: 'Accept the invitation' }).click()
    await grace.getByRole('heading', { name: 'Sources', exact: true }).waitFor()
    await grace.context().close()

    await page.goto('/team')
    await page.getByRole('cell', { name: /Grace/ }).waitFor()
  })

  test('a viewer is offered no change on any page', async () => {
    for (const [path, body] of [
      ['/api/sources', { name: 'api.prod' }],
      ['/api/backends', { name: 'hook', type: 'webhook', config: { url: 'http://127.0.0.1:9/' } }],
    ] as const)
      await web.service.fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) })
    const viewer = await invited('vera@example.com', 'viewer', 'Vera')
    const pages: [path: string, heading: string][] = [
      ['/sources', 'Sources'],
      ['/sources?new=source', 'Sources'],
      ['/backends', 'Backends'],
      ['/backends?new=webhook', 'Backends'],
      ['/team', 'Team'],
      ['/team?tab=sessions', 'Team'],
      ['/team?new=invitation', 'Team'],
      ['/system', 'System'],
      ['/system?tab=queries', 'System'],
      ['/system?tab=changes', 'System'],
    ]
    const CHANGES = /New|Invite|Delete|Edit|Attach|Detach|Remove|Withdraw|Test|Discard|Send again|End|Rename/
    for (const [path, heading] of pages) {
      await viewer.goto(path)
      await viewer.getByRole('heading', { name: heading }).first().waitFor()
      await until(async () => (await viewer.getByRole('status').count()) === 0)
      expect(await viewer.getByRole('button', { name: CHANGES }).allTextContents(), path).toEqual([])
      expect(await viewer.getByRole('combobox').count(), path).toBe(0)
      expect(await viewer.getByRole('dialog').count(), path).toBe(0)
    }
    await viewer.goto('/backends')
    await viewer.getByRole('link', { name: 'hook' }).click()
    await viewer.getByRole('region', { name: 'Delivery' }).waitFor()
    await viewer.getByText('Nothing sends here yet.').waitFor()
    expect(await viewer.getByRole('button', { name: CHANGES }).allTextContents()).toEqual([])
    await viewer.goto('/account')
    await viewer.getByText('Renaming the account needs the role owner.').waitFor()
    expect(viewer.complaints).toEqual([])
    await viewer.context().close()
  })

  test('a role is changed, somebody is removed, and the last owner stays one', async () => {
    await page.goto('/team')
    await page.getByRole('combobox', { name: 'Role of vera@example.com' }).click()
    await page.getByRole('option', { name: 'member' }).click()
    await page.getByText('Vera is member now.').first().waitFor()
    await page.getByRole('combobox', { name: 'Role of ada@example.com' }).click()
    await page.getByRole('option', { name: 'viewer' }).click()
    await page.getByText('This is the last owner of the account.').first().waitFor()
    await page.getByRole('combobox', { name: 'Role of ada@example.com' }).getByText('owner').waitFor()
    await page.getByRole('button', { name: 'Remove vera@example.com' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('cell', { name: /Vera/ }).waitFor({ state: 'detached' })
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('team and account are readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const other = await web.owner({ theme, width })
    for (const [path, name, ready] of [
      ['/team', 'team', 'Grace'],
      ['/team?tab=sessions', 'team-sessions', 'Chrome'],
      ['/account', 'account', 'this one'],
    ] as const) {
      await other.goto(path)
      await other.getByText(ready).first().waitFor()
      expect(await barriersOn(other)).toEqual([])
      await screenshot(other, `${name}-${theme}-${width}`)
      expect(await other.evaluate('document.documentElement.scrollWidth > window.innerWidth'), path).toBe(false)
    }
    expect(other.complaints).toEqual([])
    await other.context().close()
  })

  test('people change their own name and password, and a wrong one is told at its field', async () => {
    const eve = await invited('eve@example.com', 'viewer', 'Eve')
    await eve.goto('/account')
    await eve.getByLabel('Name', { exact: true }).fill('Eve Adams')
    await eve.getByRole('button', { name: 'Save name' }).click()
    await eve.getByRole('button', { name: /Eve Adams/ }).waitFor()
    await eve.getByLabel('Present password').fill('not the password')
    await eve.getByLabel('New password', { exact: true }).fill('a much better password')
    await eve.getByLabel('New password again').fill('a much better passw')
    await eve.getByRole('button', { name: 'Change password' }).click()
    await eve.getByText('The two are not the same.').waitFor()
    await eve.getByLabel('New password again').fill('a much better password')
    await eve.getByRole('button', { name: 'Change password' }).click()
    await eve.getByText('is wrong').waitFor()
    await eve.getByLabel('Present password').fill(PASSWORD)
    await eve.getByRole('button', { name: 'Change password' }).click()
    await eve.getByText('Your password is changed.').first().waitFor()
    expect(eve.complaints).toEqual([])
    await eve.context().close()
  })

  test('a session that somebody ended leads to the login page, and back', async () => {
    const other = await web.owner()
    await other.goto('/team?tab=invitations')
    await other.getByRole('tab', { name: /Invitations/ }).waitFor()
    const sessions = (await (await web.service.fetch('/api/sessions')).json()) as { id: number; email: string }[]
    for (const { id, email } of sessions)
      if (email === 'ada@example.com') await web.service.fetch(`/api/sessions/${id}`, { method: 'DELETE' })
    await other.getByRole('tab', { name: /People/ }).click()
    await other.getByRole('button', { name: 'Invite' }).click()
    await other.getByLabel('E-mail').fill('late@example.com')
    await other.getByRole('button', { name: 'Make the invitation' }).click()
    await other.waitForURL(/\/login\?next=/)
    await other.getByLabel('E-mail').fill('ada@example.com')
    await other.getByLabel('Password').fill('a long enough password')
    await other.getByRole('button', { name: 'Log in', exact: true }).click()
    await other.waitForURL(/\/team/)
    expect(other.complaints).toEqual([])
  })

  test('logging out everywhere ends every browser of a person', async () => {
    const here = await web.owner()
    const there = await web.owner()
    await there.goto('/account')
    await there.getByText('this one').waitFor()
    await here.goto('/account')
    await here.getByRole('button', { name: 'Log out everywhere' }).click()
    await here.getByRole('dialog').getByRole('button', { name: 'Log out everywhere' }).click()
    await here.waitForURL(/\/login/)
    await there.reload()
    await there.waitForURL(/\/login/)
  })
})
