/** Backends: made in the form of their type, tried, attached, watched, and what their receiver refuses. */
import { createServer, type Server } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriersOn } from './support/axe.ts'
import { screenshot } from './support/screenshot.ts'
import { hasChromium, PATIENCE, startWeb, type Web, type WebPage } from './support/web.ts'

/** A receiver that takes JSON arrays, and refuses events that are marked as bad until it is told to be kind. */
function startReceiver() {
  const world = { taken: 0, isKind: false, authorization: '' }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const body = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)
      world.authorization = request.headers.authorization ?? ''
      if (body.includes('poison') && !world.isKind) {
        response.writeHead(422).end('poison is not for me')
        return
      }
      const events: unknown = JSON.parse(body)
      world.taken += Array.isArray(events) ? events.length : 0
      response.end('ok')
    })
  })
  return new Promise<{ url: string; world: typeof world; stop(): void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = address && typeof address === 'object' ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}/in`,
        world,
        stop() {
          server.closeAllConnections()
          server.close()
        },
      })
    })
  })
}

describe.skipIf(!hasChromium)('backends', PATIENCE, () => {
  let web: Web
  let page: WebPage
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeAll(async () => {
    web = await startWeb()
    receiver = await startReceiver()
    await web.service.fetch('/api/sources', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'api.prod' }),
    })
    page = await web.owner()
  })
  afterAll(async () => {
    await web?.stop()
    receiver?.stop()
  })

  const send = (events: object[]) =>
    web.service.fetch('/api/logs?source_name=api.prod', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(events),
    })

  test('a page without backends says what one is', async () => {
    await page.goto('/backends')
    await page.getByRole('heading', { name: 'No backends yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'backends-empty')
  })

  test('a form is made from what its type takes, and says field by field what is wrong', async () => {
    await page.getByRole('button', { name: 'New backend' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Syslog' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'backends-types')
    await dialog.getByRole('button', { name: /^Webhook/ }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('hook')
    await dialog.getByLabel('Address').fill('ftp://nowhere')
    await dialog.getByRole('button', { name: 'Create backend' }).click()
    await dialog.getByText('has invalid format').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add to headers' }).click()
    await dialog.getByLabel('Name of line 1 of Headers').fill('Authorization')
    await dialog.getByLabel('Value of line 1 of Headers').fill('Bearer s3cret')
    await dialog.getByLabel('Address').fill(receiver.url)
    await screenshot(page, 'backends-form')
    await dialog.getByRole('button', { name: 'Create backend' }).click()
    await page.getByRole('heading', { name: 'hook', exact: true }).waitFor()
    await page.waitForURL(/\/backends\/[0-9a-f-]{36}$/)
  })

  test('the connection is tried without sending an event', async () => {
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('connected', { exact: true }).waitFor()
    expect(receiver.world).toMatchObject({ taken: 0, authorization: 'Bearer s3cret' })
    await page.getByText('authorization: REDACTED').waitFor()
  })

  test('an attached source delivers, and the count is seen to grow', async () => {
    await page.getByRole('combobox', { name: 'Attach a source' }).click()
    await page.getByRole('option', { name: 'api.prod' }).click()
    await page.getByRole('button', { name: 'Detach api.prod' }).waitFor()
    await send(Array.from({ length: 40 }, (_, index) => ({ message: `request ${index}` })))
    await page.getByRole('region', { name: 'Delivery' }).getByText('40', { exact: true }).waitFor()
    expect(receiver.world.taken).toBe(40)
  })

  test('what the receiver refuses is shown with its reason, and can be sent again or discarded', async () => {
    await send([{ message: 'poison one' }, { message: 'fine' }, { message: 'poison two' }])
    const letters = page.getByRole('table', { name: 'Dead letters' })
    await letters.getByText('poison is not for me').first().waitFor()
    await letters
      .getByRole('button', { name: /^Look at letter/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('poison one').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await screenshot(page, 'backend-letter')
    await page.keyboard.press('Escape')
    await screenshot(page, 'backend')
    receiver.world.isKind = true
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('2 delivered, 0 remain.').first().waitFor()
    receiver.world.isKind = false
    await page.getByText('The receiver has refused nothing.').waitFor()
    await send([{ message: 'poison three' }])
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: 'Discard all' }).click()
    await page.getByText('The receiver has refused nothing.').waitFor()
  })

  test('a change keeps secrets that were not typed again', async () => {
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('to the warehouse')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. The next batch goes out with it.').first().waitFor()
    await send([{ message: 'after the change' }])
    await expect.poll(() => receiver.world.taken, { timeout: 20_000 }).toBe(44)
    expect(receiver.world.authorization).toBe('Bearer s3cret')
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('list and backend are readable for everybody, %s, %d pixels wide', async (theme, width) => {
    const other = await web.owner({ theme, width })
    await other.goto('/backends')
    await other.getByRole('link', { name: 'hook' }).waitFor()
    expect(await barriersOn(other)).toEqual([])
    await screenshot(other, `backends-${theme}-${width}`)
    await other.getByRole('link', { name: 'hook' }).click()
    await other.getByRole('region', { name: 'Delivery' }).waitFor()
    expect(await barriersOn(other)).toEqual([])
    await screenshot(other, `backend-${theme}-${width}`)
    expect(await other.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false)
    expect(other.complaints).toEqual([])
    await other.context().close()
  })

  test('a backend in use is not deleted: the window says who uses it', async () => {
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText('the source api.prod, attached').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Detach api.prod' }).click()
    await page.getByText('Nothing sends here yet.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByLabel('Type hook to go on').fill('hook')
    await page.getByRole('button', { name: 'Delete backend' }).click()
    await page.getByRole('heading', { name: 'No backends yet' }).waitFor()
    expect(page.complaints).toEqual([])
  })
})
