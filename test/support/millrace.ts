/** Runs the built `millrace` command as its users do, in a clean environment. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Service } from './service.ts'

export type Ended = { code: number | null; stdout: string; stderr: string }

type Options = {
  /** The service to speak to; its address and management token are in the environment then. */
  service?: Pick<Service, 'url' | 'managementToken'>
  env?: Record<string, string>
  input?: string
}

export const MAIN = join(import.meta.dirname, '../../dist/main.js')

export function commandEnv({ service, env = {} }: Options): Record<string, string> {
  const { PATH = '', HOME = '/' } = process.env
  const place = service ? { MILLRACE_URL: service.url, MILLRACE_TOKEN: service.managementToken } : {}
  return { PATH, HOME, MILLRACE_CONFIG: '/nonexistent/millrace.json', ...place, ...env }
}

export function millrace(args: string[], options: Options = {}): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: commandEnv(options), stdio: 'pipe' })
  const ended = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ended[name] += text
    })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...ended }))
  })
}
