/** Access tokens: made, used and revoked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { loggedInAs } from './support/roles.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web } from './support/web.ts'

describe.skipIf(!hasChromium)('tokens', PATIENCE, () => {
  let web: Web
  const sources = new Map<string, string>()

  const post = (path: string, body: object, token?: string): Promise<Response> =>
    web.service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    })

  beforeAll(async () => {
    web = await startWeb()
    for (const name of ['api.prod', 'worker.prod']) {
      const { token } = (await (await post('/api/sources', { name })).json()) as { token: string }
      sources.set(name, token)
    }
    await post('/api/endpoints', { name: 'errors-per-hour', query: 'select 1 as n', language: 'bq_sql' })
  })
  afterAll(() => web?.stop())

  test('a token for one source is shown once, sends to this source only, and is refused once it is revoked', async () => {
    const page = await web.owner()
    await page.goto('/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    const form = page.getByRole('dialog', { name: 'New token' })
    await form.getByLabel('Description').fill('api, production')
    await form.getByLabel('Which sources for Send events').click()
    await page.getByRole('option', { name: 'Chosen sources' }).click()
    await form.getByText('Choose at least one thing that it may do.').waitFor()
    expect(await form.getByRole('button', { name: 'Create token' }).isDisabled()).toBe(true)
    await form.getByLabel('api.prod').click()
    await form.getByLabel('Query endpoints').click()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'tokens-form')
    await form.getByRole('button', { name: 'Create token' }).click()

    const made = page.getByRole('dialog', { name: 'Copy the token now' })
    const value = (await made.getByRole('region', { name: 'token' }).textContent()) ?? ''
    await made.getByRole('button', { name: 'Copy token' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value.trim())
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'tokens-made')
    await made.getByRole('button', { name: 'I have copied it' }).click()
    const row = page.getByRole('row', { name: /api, production/ })
    await row.getByText('api.prod').waitFor()
    await row.getByText('never').waitFor()
    expect(await page.content()).not.toContain(value.trim())

    const send = (name: string): Promise<Response> =>
      post(`/api/logs?source=${sources.get(name)}`, { message: 'hi' }, value.trim())
    expect((await send('api.prod')).status).toBe(200)
    expect((await send('worker.prod')).status).toBe(403)
    // Uses are noted once a minute, and when the service stops.
    await web.service.restart()
    await page.reload()
    await row
      .getByText(/ago|now/)
      .first()
      .waitFor()
    await row.getByRole('button', { name: 'Revoke api, production' }).click()
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await send('api.prod')).status).toBe(401)
    expect(page.complaints).toEqual([])
  })

  test.each(['light', 'dark'] as const)('the list is readable for everybody, %s', async (theme) => {
    await post('/api/access-tokens', {
      description: `dashboards ${theme}`,
      scopes: `query ingest:source:${sources.get('api.prod')}`,
    })
    const page = await web.owner({ theme })
    await page.goto('/tokens')
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.getByText(`dashboards ${theme}`).waitFor()
      expect(await barriersOn(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
      await screenshot(page, `tokens-${theme}-${width}`)
    }
    expect(page.complaints).toEqual([])
  })

  test('an admin cannot make a token that does more than an admin; a member and a viewer make none', async () => {
    const admin = await loggedInAs(web, 'admin')
    await admin.goto('/tokens?new=token')
    await admin.getByText('Only owners can make such a token.').waitFor()
    expect(await admin.getByLabel('Manage everything').isDisabled()).toBe(true)
    await admin.close()
    const viewer = await loggedInAs(web, 'viewer')
    await viewer.goto('/tokens?new=token')
    await viewer.getByText('Making and revoking tokens needs the role admin.').waitFor()
    await viewer.getByText('dashboards light').waitFor()
    expect(await viewer.getByRole('dialog').count()).toBe(0)
    expect(await viewer.getByRole('button', { name: /Revoke|New token/ }).count()).toBe(0)
    expect(await barriersOn(viewer)).toEqual([])
  })
})
