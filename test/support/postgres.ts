/**
 * A private PostgreSQL for tests: its own data folder, a socket instead of a port, nothing of the system's cluster.
 * The server refuses to run as root, so a root test run starts it as the user `postgres`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

const START_TIMEOUT_MS = 30_000

export type Postgres = {
  /** Makes an empty database and gives its address. */
  createDatabase(): Promise<string>
  /** The server ends, and begins again with what it had. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

const programs = (): string | null =>
  globSync('/usr/lib/postgresql/*/bin')
    .sort()
    .reverse()
    .find((folder) => existsSync(join(folder, 'initdb'))) ?? null

export const hasPostgres = (): boolean => programs() !== null

export async function startPostgres(): Promise<Postgres> {
  const bin = programs()
  if (!bin) throw new Error('no PostgreSQL programs under /usr/lib/postgresql')
  const folder = await mkdtemp(join(tmpdir(), 'millrace-pg-'))
  const isRoot = process.getuid?.() === 0
  await chmod(folder, 0o700)
  if (isRoot) await chown(folder, idOf('-u'), idOf('-g'))
  const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env']
  const [program, ...first] = asUser
  const data = join(folder, 'data')

  execFileSync(
    program!,
    [...first, join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'],
    {
      stdio: 'ignore',
      cwd: '/',
    },
  )
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'max_connections=60']
  const serverProgram = join(bin, 'postgres')
  let server: ChildProcess
  async function up(): Promise<void> {
    const options = settings.flatMap((one) => ['-c', one])
    server = spawn(program!, [...first, serverProgram, '-D', data, ...options], { stdio: 'ignore', cwd: '/' })
    await untilReady(address('postgres'), server)
  }
  async function down(): Promise<void> {
    if (server.exitCode !== null) return
    const exited = once(server, 'exit')
    // The server's word for "close the connections, then stop".
    server.kill('SIGINT')
    await exited
  }
  const address = (database: string): string =>
    `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`
  await up()

  let made = 0
  return {
    async createDatabase() {
      const name = `test_${++made}`
      const client = new Client({ connectionString: address('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return address(name)
    },
    down,
    up,
    async stop() {
      await down()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
