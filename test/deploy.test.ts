/** Files for running it elsewhere, as far as text can show: they parse, and name only what is there. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasYaml, parseAll, type Tree } from './support/yaml.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const deployed = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
  .map((name) => `deploy/${name}`)
  .filter((path) => /\.\w+$/.test(path))

test.each(['Dockerfile', ...deployed])('%s names only settings that there are', (path) => {
  const settings = new Set(read('src/settings.ts').match(/\b(?:MILLRACE_[A-Z_]+|DATABASE_URL)\b/g))
  const named = read(path).match(/\b(?:MILLRACE_[A-Z_]+|DATABASE_URL)\b/g) ?? []
  expect(named.filter((name) => !settings.has(name))).toEqual([])
})

test('the Dockerfile copies what is there, and not as root', () => {
  const lines = read('Dockerfile')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) /
  expect(lines.filter((line) => !known.test(line))).toEqual([])
  const copied = lines.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(/\s+/).slice(1, -1))
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const ignored = read('.dockerignore').split('\n')
  expect(copied.filter((path) => ignored.includes(path.split('/')[0] ?? ''))).toEqual([])
  expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
  expect(lines.at(-2)).toBe('ENTRYPOINT ["node", "dist/main.js"]')
})

test('every page of the site is in the image when it is built there', () => {
  const { sections }: { sections: { pages: string[] }[] } = JSON.parse(read('docs/contents.json'))
  const outside = sections.flatMap(({ pages }) => pages).filter((page) => !page.startsWith('docs/'))
  expect(outside.filter((page) => !read('Dockerfile').includes(page))).toEqual([])
})

test.skipIf(!hasYaml).each(deployed.filter((path) => path.startsWith('deploy/compose/')))('%s parses', (path) => {
  const [{ services, volumes }] = parseAll(read(path))
  for (const { image, ports = [], volumes: mounted = [] } of Object.values<Tree>(services)) {
    if (!image.startsWith('millrace:')) continue
    if (!path.endsWith('cluster.yml')) expect(ports.map((port: string) => port.split(':').at(-1))).toEqual(['4000'])
    for (const mount of mounted) {
      const [name, place] = mount.split(':')
      expect([name in volumes, place]).toEqual([true, '/data'])
    }
  }
})

test.skipIf(!hasYaml)('nodes of the cluster share all but their folders and addresses', () => {
  const [{ services, configs }] = parseAll(read('deploy/compose/cluster.yml'))
  const nodes = Object.entries<Tree>(services).filter(([, { image }]) => image.startsWith('millrace:'))
  expect(nodes.length).toBeGreaterThan(1)
  const sharedBy = ({ environment: { MILLRACE_NODE_ADDRESS: _, ...shared } }: Tree) => shared
  for (const [name, node] of nodes) {
    const shared = sharedBy(node)
    expect([node.environment.MILLRACE_NODE_ADDRESS, node.volumes]).toEqual([`http://${name}:4000`, [`${name}:/data`]])
    expect(shared).toEqual(sharedBy(nodes[0]![1]))
    for (const needed of ['DATABASE_URL', 'MILLRACE_DEFAULT_BACKEND', 'MILLRACE_SECRET_KEY'])
      expect(shared).toHaveProperty(needed)
    expect(configs.balancer.content).toContain(`server ${name}:4000`)
  }
})

test.skipIf(!hasYaml)('the chart: values exist, and what it makes parses', () => {
  const chart = 'deploy/helm/millrace'
  const [values] = parseAll(read(`${chart}/values.yaml`))
  expect(parseAll(read(`${chart}/Chart.yaml`))[0]).toMatchObject({ apiVersion: 'v2', name: 'millrace' })
  const templates = deployed.filter((path) => path.startsWith(`${chart}/templates/`) && path.endsWith('.yaml'))
  const made = templates.flatMap((path) => parseAll(filledIn(read(path), values)))
  expect(made.map(({ kind }) => kind).sort()).toEqual(['Ingress', 'Secret', 'Service', 'Service', 'StatefulSet'])
  const set = made.find(({ kind }) => kind === 'StatefulSet')
  const [container] = set.spec.template.spec.containers
  expect(container.ports[0].containerPort).toBe(4000)
  expect(
    [container.startupProbe, container.readinessProbe, container.livenessProbe].map((p) => p.httpGet.path),
  ).toEqual(['/ready', '/ready', '/health'])
  expect(container.volumeMounts[0]).toEqual({ name: 'data', mountPath: '/data' })
})

/** Every branch of a template, with values where a value stands: enough to see the shape, not what Helm would make. */
function filledIn(template: string, values: Tree): string {
  for (const [, path = ''] of template.matchAll(/\.Values\.([\w.]+)/g)) {
    const found = path.split('.').reduce((at, name) => at?.[name], values)
    if (found === undefined) throw new Error(`values.yaml has no ${path}`)
  }
  return template
    .split('\n')
    .filter((line) => !/^\s*\{\{-? *(?:if|else|end|with|range|fail)\b[^}]*\}\}$/.test(line))
    .map((line) =>
      line.replace(/^(\s*)\{\{- (?:include|toYaml)[^}]*nindent (\d+) \}\}$/, (_, __, n) => `${' '.repeat(n)}a: b`),
    )
    .map((line) => line.replace(/\{\{[^}]*\|\s*quote \}\}/g, '"text"').replace(/\{\{[^}]*\}\}/g, 'text'))
    .join('\n')
}

test('the systemd unit starts the command and keeps the data where the guide says', () => {
  const unit = read('deploy/systemd/millrace.service')
  expect(unit).toMatch(/^ExecStart=\/opt\/millrace\/node_modules\/\.bin\/millrace serve$/m)
  expect(unit).toMatch(/^Environment=MILLRACE_DATA=\/var\/lib\/millrace$/m)
  expect(read('docs/guide/deploy.md')).toContain('/opt/millrace')
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)('systemd knows every word of its unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-unit-'))
  try {
    const unit = join(folder, 'millrace.service')
    // The command is not installed here.
    writeFileSync(unit, read('deploy/systemd/millrace.service').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
