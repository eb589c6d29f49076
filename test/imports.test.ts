/**
 * Keeps the shape of the tree true: imports go down the list of layers only, no file takes part in a cycle, and what
 * is tracked names no machine. A rule nobody runs is not a rule.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Lowest first. A file may import from its own layer and from those before it. */
const LAYERS = [
  ...[
    'base',
    'model',
    'mail',
    'lql',
    'sql',
    'catalog',
    'peers',
    'journal',
    'warehouse',
    'backup',
    'backends',
    'notify',
    'ingest',
    'query',
    'endpoints',
  ],
  ...[
    'tail',
    'alerts',
    'notices',
    'monitoring',
    'access',
    'mcp',
    'http',
    'listeners',
    'settings.ts',
    'cli',
    'app',
    'main.ts',
  ],
]

/** Below it in the list, and still not to be known: the journal is where they meet. */
const FORBIDDEN: Record<string, string[]> = { ingest: ['warehouse', 'backends', 'tail'] }

/** `import … from`, `export … from`, bare `import '…'` and `import('…')`; only relative ones stay in the tree. */
const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"](\.[^'"]+)['"]|\bimport\s*\(?\s*['"](\.[^'"]+)['"]/g

/** Program parts that are started by address, not by import (workers, child processes), are imports all the same. */
const ADDRESS = /new URL\(\s*['"](\.[^'"]+\.[tj]s)['"]\s*,\s*import\.meta\.url/g

function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  const found = [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2]!)
  return [...found, ...[...code.matchAll(ADDRESS)].map((match) => match[1]!)]
}

const layerOf = (file: string): string => file.split('/')[0]!

function readTree(): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('/testing.ts'),
  )
  return new Map(
    files.map((file) => {
      const targets = importsOf(readFileSync(join(src, file), 'utf8'))
      return [file, targets.map((target) => relative(src, join(src, dirname(file), target)).replace(/\.js$/, '.ts'))]
    }),
  )
}

function climbs(tree: Map<string, string[]>): string[] {
  return [...tree].flatMap(([file, targets]) =>
    targets
      .filter((target) => {
        const [from, to] = [layerOf(file), layerOf(target)]
        return LAYERS.indexOf(to) > LAYERS.indexOf(from) || FORBIDDEN[from]?.includes(to) || target.startsWith('..')
      })
      .map((target) => `${file} imports ${target}`),
  )
}

function findCycle(tree: Map<string, string[]>): string[] | null {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | null => {
    const seenAt = path.indexOf(file)
    if (seenAt >= 0) return [...path.slice(seenAt), file]
    if (done.has(file)) return null
    for (const target of tree.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return null
  }
  for (const file of tree.keys()) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return null
}

describe('imports', () => {
  const tree = readTree()

  test('every file under src belongs to a layer', () => {
    expect([...tree.keys()].filter((file) => !LAYERS.includes(layerOf(file)))).toEqual([])
  })

  test('every import leads to a file', () => {
    const missing = [...tree].flatMap(([file, targets]) =>
      targets.filter((target) => !existsSync(join(src, target))).map((target) => `${file} imports ${target}`),
    )
    expect(missing).toEqual([])
  })

  test('imports point down only', () => expect(climbs(tree)).toEqual([]))

  test('no file imports itself over others', () => expect(findCycle(tree)).toBeNull())
})

describe('the check itself', () => {
  test.each([
    ["import { a } from './a.ts'", ['./a.ts']],
    ["import {\n  a,\n  b,\n} from '../b/b.ts'", ['../b/b.ts']],
    ["import type { A } from './a.ts'\nimport './c.ts'", ['./a.ts', './c.ts']],
    ["export * from './a.ts'\nexport { b } from './b.ts'", ['./a.ts', './b.ts']],
    ["const a = await import('./a.ts')", ['./a.ts']],
    ["fork(new URL('./child.ts', import.meta.url))", ['./child.ts']],
    ["import { join } from 'node:path'\n// import './gone.ts'\n/* import './gone.ts' */", []],
  ])('reads %j', (text, expected) => expect(importsOf(text)).toEqual(expected))

  test('sees a climb, a forbidden layer and a cycle', () => {
    expect(climbs(new Map([['model/a.ts', ['query/b.ts']]]))).toEqual(['model/a.ts imports query/b.ts'])
    expect(climbs(new Map([['ingest/a.ts', ['warehouse/b.ts', 'journal/c.ts']]]))).toHaveLength(1)
    const cycle = new Map([['a.ts', ['b.ts']], ['b.ts', ['c.ts']], ['c.ts', ['b.ts']]]) // biome-ignore format: one line reads best
    expect(findCycle(cycle)).toEqual(['b.ts', 'c.ts', 'b.ts'])
  })
})

describe('what is tracked', () => {
  test('the lock file names no registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
  })

  test.skipIf(!existsSync(join(root, '.git')))('no file names a folder of somebody’s machine', () => {
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
    const homes = new RegExp(
      ['home', 'Users', 'work', 'root'].map((name) => `(?<![\\w.*~-])/${name}/[\\w.-]+/`).join('|'),
    )
    const guilty = tracked.filter((file) => {
      const path = join(root, file)
      return existsSync(path) && homes.test(readFileSync(path, 'utf8'))
    })
    expect(guilty).toEqual([])
  })
})
