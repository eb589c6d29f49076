/** Pages about what Millrace does with events by itself. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'
import { json, newSource, post, store } from '../../support/dialogue.ts'
import { until } from '../../support/service.ts'
import type { Chapter } from '../chapter.ts'
import { expectShape } from '../shape.ts'
import { walk } from '../walk.ts'

export const act: Chapter[] = [
  {
    page: 'docs/guide/endpoints.md',
    async follow(page, world) {
      expect((await walk(page, world)).at(-2)?.trim()).toBe('path\r\n/pay')
    },
  },
  {
    page: 'docs/guide/alerts.md',
    async follow(page, world) {
      await walk(page, world)
    },
  },
  {
    page: 'docs/guide/notifications.md',
    async follow(page, { service, receiver }) {
      const { token } = await newSource(service, 'told')
      const settings = page
        .take('Notifications: what a source tells of itself', 'json')
        .replace('https://hooks.example.com', receiver.url)
        .replace(/https:\/\/hooks\.slack\.com[^"]*/, `${receiver.url}/slack`)
      const headers = { 'content-type': 'application/json' }
      const saved = await service.fetch(`/api/sources/${token}`, { method: 'PATCH', headers, body: settings })
      expect([saved.status, await saved.text()]).toEqual([204, ''])
      const patterns = () => receiver.taken('/millrace').filter(({ kind }) => kind === 'pattern')
      const declined = { message: 'card declined', metadata: { level: 'error' } }
      await store(
        service,
        'told',
        Array.from({ length: 27 }, () => declined),
      )
      await until(() => patterns().length > 0)
      const shown = JSON.parse(page.take('What is sent', 'json'))
      const [{ samples, ...sent }] = patterns()
      const [{ id, timestamp, event_message }] = samples
      expectShape({ ...sent, samples: [{ id, timestamp, event_message }] }, shown)
      expect(sent).toMatchObject({ name: shown.name, recent_events: expect.arrayContaining(shown.recent_events) })
    },
  },
  {
    page: 'docs/guide/backends.md',
    async follow(page, { sh, service, receiver, folder }) {
      const { token: SOURCE } = await newSource(service, 'delivered')
      const [make = '', ...rest] = page.take('Sending events on').split(/\n(?=curl )/)
      const { token: BACKEND } = JSON.parse(await sh(make))
      const [tested, attached, status] = rest
      expect(JSON.parse(await sh(tested!, { env: { SOURCE, BACKEND } }))).toEqual({ 'connected?': true })
      await sh(attached!, { env: { SOURCE, BACKEND } })
      await store(service, 'delivered', [{ message: 'passed on' }])
      const isThere = (): boolean => JSON.stringify(receiver.taken('/in')).includes('passed on')
      await until(isThere)
      expect(JSON.parse(await sh(status!, { env: { BACKEND } }))).toMatchObject({ state: 'ok', dead_letters: 0 })

      const archive = JSON.parse(page.take('Types', 'json'))
      const made = await json(await post(service, '/api/backends', archive))
      expect(made).toMatchObject({ name: 'archive', type: 's3', config: { secret_access_key: 'REDACTED' } })

      await sh(page.take('Certificates for syslog'))
      const proof = execFileSync('openssl', ['verify', '-CAfile', join(folder, 'ca.pem'), join(folder, 'client.pem')])
      expect(proof.toString()).toMatch(/client\.pem: OK/)
    },
  },
  {
    page: 'docs/guide/assistants.md',
    async follow(page, { fillIn, folder }) {
      const told = [...page.text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
      const configured = (heading: string) => JSON.parse(fillIn(page.take(heading, 'json'))).mcpServers.millrace
      const remote = configured('Over HTTP')
      const local = configured('On your machine')
      const PATH = `${join(folder, '.bin')}:${process.env.PATH}`
      const { url } = remote
      for (const transport of [
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: remote.headers } }),
        new StdioClientTransport({ ...local, env: { ...local.env, PATH, MILLRACE_URL: new URL(url).origin } }),
      ]) {
        const client = new Client({ name: 'guide', version: '1' })
        await client.connect(transport)
        expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([...told].sort())
        expect((await client.callTool({ name: 'list_sources', arguments: {} })).isError).not.toBe(true)
        await client.close()
      }
    },
  },
]
