/** A real nginx with a configuration of the guides, on a port of its own. Without it, tests that need it are skipped. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, until } from './service.ts'

const program = join(import.meta.dirname, '../../node_modules/.cache/nginx/usr/sbin/nginx')

export const hasNginx = existsSync(program)

/** `config` is what stands in `http { … }`, and listens on port 80. Upstreams that do not answer are passed over. */
export async function startNginx(config: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  const whole = [
    ...['daemon off;', 'pid nginx.pid;', 'events {}', 'http {', 'access_log off;', ...temporary],
    config.replace('listen 80;', `listen 127.0.0.1:${port};`).replace(/^\s*server 10\..*$/gm, ''),
    '}',
  ]
  await writeFile(join(folder, 'nginx.conf'), whole.join('\n'))
  const server = spawn(program, ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(url).catch(() => null)) !== null, 10_000)
  return {
    url,
    async stop() {
      const exited = once(server, 'exit')
      server.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
