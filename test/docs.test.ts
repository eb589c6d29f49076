/** Keeps the guides honest about what can be checked: settings are all listed, and links lead somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { PLANS } from '../src/model/plan.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  'bench/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

test('the README lists every setting, and no other', () => {
  const names = (text: string): string[] => [...new Set(text.match(/\b(?:MILLRACE_[A-Z_]+|DATABASE_URL)\b/g))].sort()
  expect(names(read('README.md'))).toEqual(names(read('src/settings.ts')))
})

test.each(pages)('links of %s lead to files', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1]!)
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
})

test('the plans are listed with their limits', () => {
  const limit = (value: number | null): string => (value === null ? 'no limit' : String(value))
  const rows = Object.entries(PLANS).map(([name, plan]) => [
    ...[name, limit(plan.sourceRate), limit(plan.accountRate), String(plan.retentionDaysMax)],
    ...[limit(plan.keyValuesMax), plan.enrichment ? 'yes' : 'no'],
  ])
  const table = read('docs/reference/api-management.md').split('## Accounts and plans')[1]?.split('\n## ')[0] ?? ''
  const listed = [...table.matchAll(/^\| `(\w+)`(?: \(default\))? \| (.*) \|$/gm)].map(([, name = '', cells = '']) => [
    name,
    ...cells.split(' | '),
  ])
  expect(listed.sort()).toEqual(rows.sort())
})
