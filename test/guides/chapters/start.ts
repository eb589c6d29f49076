/** The first pages, and those for who changes Millrace. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Chapter } from '../chapter.ts'
import { root } from '../page.ts'
import { expectShape } from '../shape.ts'

const FIRST = 'Your first event in 60 seconds'

export const start: Chapter[] = [
  {
    page: 'README.md',
    async follow(page, { sh, service }) {
      const token = page.take(FIRST).replace('...', service.managementToken)
      const answer = async (): Promise<unknown> => JSON.parse(await sh(token + page.take(FIRST)))
      expect(await answer()).toMatchObject({ name: 'my-app' })
      expect(await answer()).toEqual(JSON.parse(page.take(FIRST)))
      const asked = await answer()
      expectShape(asked, JSON.parse(page.take(FIRST)))
      expect(asked).toMatchObject({ result: [{ event_message: 'hello, world', user_id: 42 }] })
    },
  },
  {
    page: 'CONTRIBUTING.md',
    follow(page, { folder }) {
      const project = join(folder, 'web-page')
      mkdirSync(project)
      symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
      const write = (name: string, text: string): void =>
        writeFileSync(join(project, name), text.replaceAll("'../../", `'${root}/web/src/`))
      write('route.ts', page.take('Pages of the web interface', 'ts'))
      write('page.tsx', page.take('Pages of the web interface', 'tsx'))
      const config = { extends: join(root, 'web/tsconfig.json'), include: [project, join(root, 'web/src/**/*.d.ts')] }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
      const checked = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
      expect(checked.stdout.toString()).toBe('')
      expect(checked.status).toBe(0)
    },
  },
  {
    page: 'ARCHITECTURE.md',
    follow(page) {
      const flows = page.take('Two flows')
      const folders = readdirSync(join(root, 'src'))
      const places = flows.match(/\b[a-z]+(?:\/[a-z]+)?\b/g)!.filter((word) => folders.includes(word.split('/')[0]!))
      expect(places.length).toBeGreaterThan(10)
      expect(
        places.filter((place) => !existsSync(join(root, 'src', place)) && !existsSync(join(root, `src/${place}.ts`))),
      ).toEqual([])
    },
  },
]
