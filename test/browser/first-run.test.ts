/** The first visit to a new service, up to the first event. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, OWNER, PATIENCE, startWeb, type Web } from './support/web.ts'

describe.skipIf(!hasChromium)('the first run', PATIENCE, () => {
  let web: Web
  beforeAll(async () => {
    web = await startWeb()
  })
  afterAll(() => web?.stop())

  test('leads from an empty service to the first event, without a word of the manual', async () => {
    const page = await web.visitor()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Welcome to Millrace' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'first-run-owner')

    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Name').fill(OWNER.name)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Create owner' }).click()

    await page.getByRole('heading', { name: 'Create your first source' }).waitFor()
    await screenshot(page, 'first-run-source')
    await page.getByLabel('Name').fill('my-app')
    await page.getByRole('button', { name: 'Create source' }).click()

    await page.getByText('Waiting for your first event').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'first-run-waiting')
    for (const name of ['pino', 'OpenTelemetry', 'Vector', 'Syslog', 'curl']) {
      await page.getByRole('tab', { name }).click()
      const text = await page.getByRole('region', { name: `${name} example` }).textContent()
      expect(text).toContain(web.service.url)
      expect(text).not.toContain('YOUR_TOKEN')
    }

    // What the page says must work as it stands there, without another token.
    const command = await page.getByRole('region', { name: 'curl example' }).textContent()
    const answer = await fetch(/'(http[^']+)'/.exec(command ?? '')![1]!, {
      method: 'POST',
      headers: { 'x-api-key': /X-API-KEY: ([^']+)'/.exec(command ?? '')![1]!, 'content-type': 'application/json' },
      body: /-d '(.+)'/.exec(command ?? '')![1]!,
    })
    expect(answer.status).toBe(200)

    await page.getByText('Your event arrived').waitFor()
    expect(await page.getByRole('region', { name: 'event' }).last().textContent()).toContain('hello, world')
    await screenshot(page, 'first-run-arrived')
    expect(page.complaints).toEqual([])
  })

  test('is over once there is an owner', async () => {
    const page = await web.visitor()
    await page.goto('/welcome')
    await page.getByRole('heading', { name: 'Log in to Millrace' }).waitFor()
  })
})
