/**
 * Takes the pictures of the documentation: a service with a day of a small shop's events, every main page in light and
 * dark, into `docs/images`. Run by `npm run screenshots` after a build; no test, as pictures are for people.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createShop, type Event, SOURCES } from './support/shop.ts'
import { startWeb, type Web } from './support/web.ts'

const EVENTS = 100_000
const BATCH = 5_000
const BYTES_MAX = 150_000
const PACE_MS = 250
const LOOK = { width: 1280, height: 680 }
const folder = join(import.meta.dirname, '../../docs/images')

const SQL =
  'select m.path, count(*) as requests, round(avg(m.ms), 1) as ms\nfrom `shop.api` cross join unnest(metadata) as m\n' +
  'where timestamp > timestamp_sub(current_timestamp(), interval 6 hour)\ngroup by 1 order by 2 desc'

const web = await startWeb()
const receiver = createServer((request, response) => void request.resume().on('end', () => response.end('ok')))
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
try {
  await takeAll(await fill(web))
} finally {
  await web.stop()
  receiver.closeAllConnections()
  receiver.close()
}

type Filled = { tokens: ReadonlyMap<string, string>; backend: string }

async function fill({ service, owner }: Web): Promise<Filled> {
  const page = await owner(LOOK)
  await page.context().close()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await service.fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    const text = await answer.text()
    return text === '' ? null : JSON.parse(text)
  }
  for (const { token } of await call('GET', '/api/sources')) await call('DELETE', `/api/sources/${token}`)
  const tokens = new Map<string, string>()
  for (const source of SOURCES) tokens.set(source.name, (await call('POST', '/api/sources', source)).token)

  const address = receiver.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const hook = await call('POST', '/api/backends', {
    name: 'fraud-detection',
    description: 'orders, as they come',
    type: 'webhook',
    config: { url: `http://127.0.0.1:${port}/orders`, headers: { authorization: 'Bearer secret' } },
  })
  await call('POST', '/api/backends', {
    name: 'archive',
    description: 'kept for the auditors',
    type: 'syslog',
    config: { host: '127.0.0.1', port: 6514, tls: true },
  })
  await call('POST', `/api/sources/${tokens.get('shop.api')}/backends/${hook.token}`)

  for (const [name, role] of [
    ['Grace', 'admin'],
    ['Linus', 'member'],
    ['Barbara', 'viewer'],
  ] as const) {
    const email = `${name.toLowerCase()}@example.com`
    const { token } = await call('POST', '/api/invitations', { email, role })
    const password = 'a long enough password'
    if (role !== 'viewer') await call('POST', '/api/invitations/accept', { token, name, password })
  }
  await call('POST', `/api/sources/${tokens.get('shop.api')}/saved-searches`, {
    name: 'failed requests',
    lql: 'm.status:>=500',
    tailing: false,
  })
  await call('POST', '/api/endpoints', {
    name: 'slow-paths',
    description: 'The slowest paths of the last hour',
    query:
      'select m.path as path, count(*) as requests, avg(m.ms) as ms from `shop.api` cross join unnest(metadata) as m ' +
      'where timestamp > timestamp_sub(current_timestamp(), interval 1 hour) group by path order by ms desc',
  })
  const nextOf = createShop(Date.now())
  const waiting = new Map<string, Event[]>(SOURCES.map(({ name }) => [name, []]))
  const send = async (name: string, events: Event[]): Promise<void> => {
    await call('POST', `/api/logs?source_name=${name}`, events)
    waiting.set(name, [])
  }
  for (let count = 0; count < EVENTS; count++) {
    const { source, event } = nextOf(count / EVENTS)
    const events = waiting.get(source) ?? []
    events.push(event)
    if (events.length >= BATCH) await send(source, events)
  }
  for (const [name, events] of waiting) if (events.length > 0) await send(name, events)
  await call('POST', '/api/query', { sql: SQL })
  return { tokens, backend: hook.token }
}

async function takeAll({ tokens, backend }: Filled): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const shop = tokens.get('shop.api')
  const pages: [name: string, path: string][] = [
    ['sources', '/sources'],
    ['search', `/sources/${shop}/search?lql=${encodeURIComponent('m.status:>=400')}`],
    ['sql', `/query?sql=${encodeURIComponent(SQL)}`],
    ['backend', `/backends/${backend}`],
    ['team', '/team'],
    ['system', '/system?tab=storage'],
  ]
  for (const theme of ['light', 'dark'] as const) {
    const page = await web.owner({ ...LOOK, theme })
    for (const [name, path] of pages) {
      await page.goto(path)
      await page.getByRole('heading').first().waitFor()
      await page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor({ state: 'detached' })
      if (name === 'backend') await keepBusy(page, /\/status$/, [20, 60, 45, 130, 90, 210, 150, 80, 120, 45])
      if (name === 'sql') {
        await page.getByRole('button', { name: /^Run/ }).click()
        await page.getByText('/checkout').first().waitFor()
      }
      if (name === 'sources') await keepBusy(page, /\/api\/sources$/, [60, 180, 100, 240, 140])
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
      if ((await page.getByText(/is coming to the web interface|There is nothing at this address/).count()) > 0) {
        console.log(`${name}: not there yet`)
        continue
      }
      const file = join(folder, `${name}-${theme}.png`)
      writeFileSync(file, await page.screenshot())
      const { size } = statSync(file)
      console.log(`${name}-${theme}.png ${Math.round(size / 1000)} kB${size > BYTES_MAX ? ': TOO LARGE' : ''}`)
      if (size > BYTES_MAX) process.exitCode = 1
    }
    await page.context().close()
  }
}

/** A graph needs something to show: events come in, more and less of them, while the page looks on. */
async function keepBusy(page: Page, look: RegExp, counts: number[]): Promise<void> {
  const nextOf = createShop(Date.now())
  for (const count of counts) {
    let hasLooked = false
    const looked = page.waitForResponse(look).then(() => {
      hasLooked = true
    })
    while (!hasLooked) {
      const made = Array.from({ length: Math.round(count * (0.7 + Math.random() * 0.6)) }, () => nextOf(1))
      for (const { name } of SOURCES) {
        await web.service.fetch(`/api/logs?source_name=${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(made.filter(({ source }) => source === name).map(({ event }) => event)),
        })
      }
      await wait(PACE_MS)
    }
    await looked
  }
}
