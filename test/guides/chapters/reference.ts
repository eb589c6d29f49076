/** Pages to look things up in. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect } from 'vitest'
import { fillUp, json, newSource, post, store, untilInParts } from '../../support/dialogue.ts'
import { until } from '../../support/service.ts'
import type { Chapter } from '../chapter.ts'
import { expectShape } from '../shape.ts'
import { aPort } from '../world.ts'

export const reference: Chapter[] = [
  {
    page: 'docs/reference/api-errors.md',
    async follow(page, { service }) {
      const shown = () => JSON.parse(page.take('Errors', 'json'))
      const sender = await json(await post(service, '/api/access-tokens', { scopes: 'ingest' }))
      const refused = await service.fetch('/api/sources', {
        headers: { authorization: `Bearer ${sender.access_token ?? sender.token}` },
      })
      expect([refused.status, await refused.json()]).toEqual([403, shown()])
      const { token } = await newSource(service, 'mistaken')
      await store(service, 'mistaken', [{ message: 'x', metadata: { status: 200 } }])
      const invalid = await post(service, '/api/sources', { name: 'mistaken', retention_days: 0, colour: 'red' })
      expect([invalid.status, await invalid.json()]).toEqual([422, shown()])
      const lql = new URLSearchParams({ lql: '"gift card" m.statsu:500' })
      const unread = await service.fetch(`/api/sources/${token}/search?${lql}`)
      const { error, ...place } = shown()
      expect([unread.status, await unread.json()]).toEqual([
        400,
        { ...place, error: expect.stringContaining('m.statsu') },
      ])
      expect(error).toBe('…')
    },
  },
  {
    page: 'docs/reference/cli.md',
    async follow(page, world) {
      const { sh, service, folder } = world
      const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
      const lines = (heading: string): string[] => page.take(heading).trim().split('\n')
      const each = async (heading: string, ...edits: [string, string][]): Promise<string> => {
        const script = edits.reduce((text, [from, to]) => text.replaceAll(from, to), page.take(heading))
        return sh(script)
      }
      const app: [string, string] = ['my-app', 'cli-app']

      await each('sources', app)
      write('app.log', '{"message":"read timeout","metadata":{"level":"error"}}\nplain text\n')
      write('app.log.1', 'older\n')
      await sh('millrace sources create my-host || true')
      await each('send', app)
      for (const line of lines('tail')) {
        const watching = sh(line.replace(...app), { until: (printed) => printed.includes('still here') })
        const sending = setInterval(() => {
          void store(service, 'cli-app', [{ message: 'still here', metadata: { level: 'error' } }])
        }, 200)
        await watching.finally(() => clearInterval(sending))
      }
      expect(await each('search', app)).toMatch(/read timeout[\s\S]*^"[\w-]{36}"$/m)
      write(
        'slow.sql',
        'select event_message from `cli-app` where timestamp > timestamp_sub(current_timestamp(), interval 1 day)',
      )
      await each('query', app)
      expect(readFileSync(join(folder, 'slow.csv'), 'utf8')).toContain('read timeout')

      const [create = '', revoke = ''] = lines('tokens')
      await sh(create)
      const tokens: { id: number; description: string }[] = JSON.parse(await sh('millrace tokens --json'))
      const { id } = tokens.find(({ description }) => description === 'web servers')!
      await sh(revoke.replace('7', String(id)))
      write('by-level.sql', 'select id from `cli-app` where metadata.level = @level')
      expect(await each('endpoints')).not.toBe('')
      expect(await each('backends', [' hook', ' cli-hook'])).toMatch(/\S/)

      await each('export', app, ['./errors', './only-errors'], ['2026-11-01', '2020-01-01'])
      await each('import', ['my-app', 'cli-app'], ['https://new.example.com', service.url])

      const [backup = '', offline = ''] = lines('backup')
      await sh(`rm -f millrace.tar.zst\n${backup}`)
      const restored = page.take('restore').replace('/var/lib/millrace', './data')
      await sh(restored)
      mkdirSync(join(folder, 'backups'))
      await sh(offline)
      for (const [i, line] of lines('serve').entries()) {
        const port = await aPort()
        await sh(line.replace('8080', port).replace('/var/lib/millrace', `./served-${i}`), {
          env: { MILLRACE_PORT: port, MILLRACE_DATA: join(folder, `served-${i}`) },
          until: (printed) => printed.includes(`:${port}`),
        })
      }
      await sh(page.take('doctor'))

      await world.owner()
      const [asked = '', generated = ''] = lines('reset-password')
      await sh(asked, { input: 'another long password\n' })
      expect(await sh(generated)).toMatch(/\S{12,}/)

      const nobody = { MILLRACE_URL: undefined, MILLRACE_TOKEN: undefined, XDG_CONFIG_HOME: join(folder, 'cli-config') }
      write('token.txt', `${service.managementToken}\n`)
      const [login = '', loginFrom = ''] = lines('login')
      await sh(login, { env: nobody, input: `${service.managementToken}\n` })
      await sh(loginFrom, { env: { ...nobody, MILLRACE_URL: service.url } })

      const [command = '', ...args] = world.fillIn(page.take('mcp').trim()).split(' ')
      const client = new Client({ name: 'reference', version: '1' })
      const env = { PATH: `${join(folder, '.bin')}:${process.env.PATH}` }
      await client.connect(new StdioClientTransport({ command: join(folder, '.bin', command), args, env }))
      expect((await client.listTools()).tools).not.toEqual([])
      await client.close()

      mkdirSync(join(folder, '.config/fish/completions'), { recursive: true })
      await each('completion')
      expect(await each('help')).toContain('millrace send')
    },
  },
  {
    page: 'docs/formats/journal.md',
    async follow(page, { service }) {
      const shown = page
        .take('The journal on disk')
        .match(/^ {2}[\w.]+/gm)!
        .map((name) => name.trim().replace(/\d{16}/, 'N'))
      const folder = join(service.dataDir, 'journal')
      await until(() => readdirSync(folder).includes('positions.json'))
      expect([...new Set(readdirSync(folder).map((name) => name.replace(/\d{16}/, 'N')))].sort()).toEqual(
        [...new Set(shown)].sort(),
      )
      const positions = JSON.parse(readFileSync(join(folder, 'positions.json'), 'utf8'))
      const plain = ([name]: [string, unknown]): boolean => !name.startsWith('backend:')
      const readers = Object.fromEntries(Object.entries(positions.readers).filter(plain))
      expectShape({ ...positions, readers }, JSON.parse(page.take('positions.json', 'json')))
    },
  },
  {
    page: 'docs/formats/warehouse.md',
    async follow(page, { service }) {
      const { token } = await newSource(service, 'loaded')
      await fillUp(service, 'loaded')
      await untilInParts(service, token)
      const folder = join(service.dataDir, 'warehouse')
      const known = page
        .take('The warehouse on disk')
        .match(/^ {2}\S+/gm)!
        .map((line) => line.trim().replace(/\/$/, ''))
      const pattern = (path: string): string =>
        path
          .replace(/[\da-f]{8}-[\da-f-]{27}/, '<source>')
          .replace(/\d{4}-\d\d-\d\d/, '<day>')
          .replace(/\d{8,}(?=\.)/, '<number>')
          .replace(/-\d+(?=\.ndjson)/, '-<n>')
      const there = readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
        .filter((entry) => entry.isFile())
        .map((entry) => pattern(join(entry.parentPath, entry.name).slice(folder.length + 1)))
      expect([...new Set(there)].filter((path) => !known.includes(path) && !path.startsWith('spill/'))).toEqual([])
      const manifest = JSON.parse(readFileSync(join(folder, token, 'manifest.json'), 'utf8'))
      const shown = JSON.parse(page.take('Manifest', 'json'))
      expectShape({ ...manifest, fields: {} }, { ...shown, fields: {} })
    },
  },
]
