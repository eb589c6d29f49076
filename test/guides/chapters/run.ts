/** Pages about running it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readHomeAddress } from '../../../src/backends/home-address.ts'
import { readSettings } from '../../../src/settings.ts'
import { count, json, newSource, store } from '../../support/dialogue.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { startService } from '../../support/service.ts'
import { hasYaml, parseAll } from '../../support/yaml.ts'
import type { Chapter } from '../chapter.ts'
import { root } from '../page.ts'
import { expectShape } from '../shape.ts'
import { aPort } from '../world.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export const run: Chapter[] = [
  {
    page: 'docs/guide/deploy.md',
    canRun: hasYaml,
    follow(page) {
      const [shown] = parseAll(page.take('Kubernetes', 'yaml'))
      const [values] = parseAll(read('deploy/helm/millrace/values.yaml'))
      expect(Object.keys(shown).filter((name) => !(name in values))).toEqual([])
      expect(readSettings(shown.env)).toMatchObject({ queryMemoryMb: 2048, logLevel: 'info' })
      // What cannot be run here names at least only files that are there.
      const files = page.text.match(/(?<=[ (/])deploy\/[\w./-]*[\w]/g) ?? []
      expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
    },
  },
  {
    page: 'docs/guide/default-backend.md',
    async follow(page, { service }) {
      const [, address = ''] = /MILLRACE_DEFAULT_BACKEND=(\S+)/.exec(page.take('For all new sources', 'sh')) ?? []
      const { defaultHome } = readSettings({ MILLRACE_DEFAULT_BACKEND: address })
      expect(readHomeAddress(defaultHome?.text ?? '', null).type).toBe('postgres')
      const known = await (await fetch(`${service.url}/metrics`)).text()
      const named = page.text.match(/\bmillrace_\w+/g) ?? []
      expect(named.filter((name) => !known.includes(`# TYPE ${name} `))).toEqual([])
    },
  },
  {
    page: 'docs/guide/monitoring.md',
    canRun: hasYaml,
    async follow(page, { service }) {
      const [{ scrape_configs: jobs }] = parseAll(page.take('Prometheus and Grafana', 'yaml'))
      const target = `http://${jobs[0].static_configs[0].targets[0]}`.replace('http://127.0.0.1:4000', service.url)
      const scraped = await fetch(`${target}/metrics`)
      expect(scraped.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      const known = new Set((await scraped.text()).match(/(?<=^# TYPE )\w+/gm))
      const named = page.text.match(/\bmillrace_\w+/g) ?? []
      expect(named.length).toBeGreaterThan(6)
      expect(named.filter((name) => !known.has(name))).toEqual([])
    },
  },
  {
    page: 'docs/guide/backup.md',
    async follow(page, { sh, service }) {
      await newSource(service, 'kept')
      await store(service, 'kept', [{ message: 'one' }, { message: 'two' }])
      await sh(page.take('Backups'))
      /** Restores, starts, and counts what the restored service has. */
      const eventsAfter = async (script: string, env: Record<string, string> = {}): Promise<number> => {
        const port = await aPort()
        const headers = { authorization: `Bearer ${service.managementToken}` }
        const restored = { ...service, fetch: (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers }) }
        let events = 0
        await sh(script, {
          env: { ...env, MILLRACE_PORT: port },
          async until(printed) {
            if (events === 0 && printed.includes(port)) events = await count(restored, 'kept')
            return events > 0
          },
        })
        return events
      }
      expect(await eventsAfter(page.take('Restoring'))).toBe(2)

      const save = page.take('With the catalog in PostgreSQL')
      const bringBack = page.take('With the catalog in PostgreSQL').replaceAll('/var/lib/millrace', './restored')
      if (!hasPostgres()) return
      const postgres = await startPostgres()
      try {
        const DATABASE_URL = await postgres.createDatabase()
        const env = { DATABASE_URL, MILLRACE_MANAGEMENT_TOKEN: service.managementToken }
        const shared = await startService({ env, readyWithinMs: 60_000 })
        await newSource(shared, 'kept')
        await store(shared, 'kept', [{ message: 'one' }, { message: 'two' }, { message: 'three' }])
        await sh(save, { env: { DATABASE_URL, MILLRACE_URL: shared.url } })
        await shared.remove()
        const NEW_DATABASE_URL = await postgres.createDatabase()
        expect(await eventsAfter(bringBack, { NEW_DATABASE_URL })).toBe(3)
      } finally {
        await postgres.stop()
      }
    },
  },
  {
    page: 'docs/guide/command-line.md',
    async follow(page, { sh, service, folder }) {
      const nobody = { MILLRACE_URL: undefined, MILLRACE_TOKEN: undefined, XDG_CONFIG_HOME: join(folder, 'config') }
      await sh(page.take('Which service'), { env: nobody, input: `${service.managementToken}\n` })
      expect(existsSync(join(folder, 'config/millrace/config.json'))).toBe(true)

      await sh('millrace sources create my-app || true')
      await store(service, 'my-app', [{ message: 'card declined', metadata: { level: 'error' } }])
      const lines = page.take('Sending and reading').split(/\n(?=\w)/)
      const [send = '', tail = '', search = '', query = ''] = lines
      expect(lines).toHaveLength(4)
      await sh(send, { env: nobody })
      expect(await count(service, 'my-host')).toBe(2)
      const follow = sh(tail, { until: (printed) => printed.includes('out of stock') })
      const sending = setInterval(() => {
        void store(service, 'my-app', [{ message: 'out of stock', metadata: { level: 'error' } }])
      }, 200)
      await follow.finally(() => clearInterval(sending))
      expect(await sh(search)).toContain('card declined')
      expect(await sh(query)).toMatch(/error/)

      const other = await startService({
        env: { MILLRACE_MANAGEMENT_TOKEN: service.managementToken },
        readyWithinMs: 60_000,
      })
      try {
        await sh(page.take('Moving events').replace('https://new.example.com', other.url))
        expect(await count(other, 'my-app')).toBe(await count(service, 'my-app'))
      } finally {
        await other.remove()
      }
      expect(await sh('source <(millrace completion bash) && complete -p millrace')).toContain('millrace')
    },
  },
  {
    page: 'docs/guide/people.md',
    async follow(page, world) {
      await world.sh(page.take('The first owner'))
      const headers = { 'content-type': 'application/json' }
      const person = JSON.stringify({ email: 'ada@example.com', password: 'at least ten characters' })
      const session = await fetch(`${world.service.url}/api/session`, { method: 'POST', headers, body: person })
      const answer = await json(session)
      expectShape(answer, JSON.parse(page.take('Logging in', 'json')))

      const settingsOf = async (assignments: string) =>
        readSettings(
          Object.fromEntries(
            (
              await world.sh(`set -a\n${assignments}\nenv`, {
                env: { MILLRACE_PUBLIC_URL: 'https://logs.example.com' },
              })
            )
              .split('\n')
              .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
          ),
        )
      expect(await settingsOf(page.take('Mail'))).toMatchObject({ publicUrl: world.service.url })
      await settingsOf(page.take('An identity provider'))
    },
  },
  {
    page: 'docs/guide/supabase.md',
    canRun: hasYaml,
    async follow(page) {
      const [{ services, volumes }] = parseAll(page.take('The change', 'yaml'))
      const { environment, healthcheck, volumes: mounted } = services.analytics
      expect(mounted[0].split(':')).toEqual([Object.keys(volumes)[0], '/data'])
      const env = Object.fromEntries(
        Object.entries<unknown>(environment).map(([name, value]) => [
          name,
          String(value).replace(
            /^\$\{(\w+)\}$/,
            (_, variable) => `${variable.toLowerCase().replaceAll('_', '-')}-0123`,
          ),
        ]),
      )
      const service = await startService({ env: { ...env, MILLRACE_HOST: '127.0.0.1' }, readyWithinMs: 60_000 })
      try {
        const [, program, address] = healthcheck.test
        expect([program, new URL(address).port]).toEqual(['curl', '4000'])
        expect((await fetch(service.url + new URL(address).pathname)).status).toBe(200)
        const asked = await service.fetch('/api/sources', {
          headers: { 'x-api-key': env.LOGFLARE_PRIVATE_ACCESS_TOKEN!, authorization: '' },
        })
        const names = (await json(asked)).map(({ name }: { name: string }) => name)
        const told = [...page.text.matchAll(/^\| `\w+` \| `([\w.-]+)` \| `[\w.]+` \|$/gm)].map(([, name]) => name)
        expect(told).toHaveLength(9)
        expect(names.sort()).toEqual(told.sort())
      } finally {
        await service.remove()
      }
    },
  },
]
