/** What is packed is all that the service needs: the package is packed, unpacked elsewhere, and started by its command. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, until } from './support/service.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'millrace-package-'))
const unpacked = join(folder, 'package')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(() => {
  // The build is there already: the tests run behind it.
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root, stdio: 'pipe' })
  execFileSync('tar', ['-xzf', join(folder, `millrace-${manifest.version}.tgz`), '-C', folder])
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'))
}, 120_000)

const files = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('node_modules'))

test('it holds the service, the web interface and the guides, and no sources or tests', () => {
  for (const name of ['bin/millrace.mjs', 'dist/main.js', 'dist/web/index.html', 'dist/docs/index.html', 'LICENSE'])
    expect(existsSync(join(unpacked, name)), name).toBe(true)
  const tops = new Set(files(unpacked).map((name) => name.split('/')[0]))
  expect([...tops].sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json'])
  expect(files(unpacked).filter((name) => /\.test\.|\.map$|\.tsbuildinfo$/.test(name))).toEqual([])
})

test('what its code imports is among its dependencies', () => {
  const known = new Set(Object.keys(manifest.dependencies))
  const code = files(join(unpacked, 'dist')).filter((name) => name.endsWith('.js') && !/^(?:web|docs)\//.test(name))
  const imported = code.flatMap((name) =>
    [
      ...readFileSync(join(unpacked, 'dist', name), 'utf8').matchAll(
        /(?:^(?:import|export)\b[^'";]*?from\s*|^import\s*|\bimport\(\s*)['"]([^'".][^'"]*)['"]/gm,
      ),
    ].map(([, from = '']) => from),
  )
  const packages = imported.filter((from) => !from.startsWith('node:')).map(packageOf)
  expect([...new Set(packages)].filter((name) => !known.has(name))).toEqual([])
})

const packageOf = (from: string): string => from.split('/', from.startsWith('@') ? 2 : 1).join('/')

test('its command starts the service, passes a signal on and ends with its code', () => {
  return startAndStop(join(unpacked, manifest.bin.millrace))
}, 90_000)

/** Downloads all its dependencies, which takes minutes, so it runs only when it is asked for. */
test.skipIf(!process.env.MILLRACE_TEST_INSTALL)(
  'it can be installed from its file',
  async () => {
    const place = mkdtempSync(join(folder, 'installed-'))
    writeFileSync(join(place, 'package.json'), '{"private":true}')
    const file = join(folder, `millrace-${manifest.version}.tgz`)
    const path = `${dirname(olderNode())}:${process.env.PATH}`
    const options = { cwd: place, stdio: 'pipe', env: { ...process.env, PATH: path } } as const
    execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', file], options)
    await startAndStop(join(place, 'node_modules/.bin/millrace'))
  },
  900_000,
)

async function startAndStop(command: string): Promise<void> {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    MILLRACE_DATA: mkdtempSync(join(folder, 'data-')),
    MILLRACE_PORT: String(port),
    MILLRACE_MANAGEMENT_TOKEN: 'token-0123456789abcdef',
  }
  const child = spawn(olderNode(), [command, 'serve'], { env, stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  try {
    const page = (path: string): Promise<string> =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } }).then(
        (answer) => (answer.ok ? answer.text() : ''),
        () => '',
      )
    await until(async () => {
      if (child.exitCode !== null) throw new Error(said)
      return (await page('/ready')) !== ''
    }, 60_000)
    expect(await page('/')).toContain('<div id="')
    expect(await page('/docs/guide/')).toContain('Millrace')
    child.kill('SIGTERM')
    expect(await ended, said).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
}

/** One that is too old for the service itself, where there is one. */
function olderNode(): string {
  const own = join(root, 'node_modules/.bin')
  const path = (process.env.PATH ?? '').split(':').filter((dir) => dir !== own && !dir.includes('node_modules'))
  return path.map((dir) => join(dir, 'node')).find((file) => existsSync(file)) ?? process.execPath
}
