/** Which service a command speaks to: options first, then the environment, then the file that `millrace login` wrote. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Api, createApi, recordOf } from './api.ts'
import { Failure, wrongUse } from './failure.ts'

const DEFAULT_URL = 'http://127.0.0.1:4000'

type Given = { env: NodeJS.ProcessEnv; signal: AbortSignal; url: string | undefined; token: string | undefined }

export type Place = { url: string; token: string | null; from: string }

export async function connect({ env, signal, ...given }: Given): Promise<Api> {
  return createApi({ ...(await placeOf({ env, ...given })), signal })
}

export async function placeOf({ env, url, token }: Omit<Given, 'signal'>): Promise<Place> {
  const saved = await readLogin(env)
  const [address, from] = url
    ? [url, '--url']
    : env.MILLRACE_URL
      ? [env.MILLRACE_URL, 'MILLRACE_URL']
      : saved
        ? [saved.url, configFile(env)]
        : [DEFAULT_URL, 'the default']
  const isSaved = saved?.url === cleanUrl(address)
  // A token is for one service: the saved one does not go to another.
  return { url: cleanUrl(address), token: token || env.MILLRACE_TOKEN || (isSaved ? saved.token : null), from }
}

export function cleanUrl(text: string): string {
  const whole = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(whole))
    throw wrongUse(`${JSON.stringify(text)} is no address.`, 'It looks like http://127.0.0.1:4000')
  return whole.replace(/\/+$/, '')
}

export function configFile(env: NodeJS.ProcessEnv): string {
  if (env.MILLRACE_CONFIG) return env.MILLRACE_CONFIG
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'millrace', 'config.json')
}

async function readLogin(env: NodeJS.ProcessEnv): Promise<{ url: string; token: string } | null> {
  const file = configFile(env)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    return null
  }
  try {
    const { url, token } = recordOf(JSON.parse(text))
    if (typeof url === 'string' && typeof token === 'string') return { url: cleanUrl(url), token }
  } catch {}
  throw new Failure(2, `${file} cannot be read.`, 'Write it anew with `millrace login`, or remove it.')
}

/** Only its owner may read it: it holds the token. */
export async function writeLogin(env: NodeJS.ProcessEnv, login: { url: string; token: string }): Promise<string> {
  const file = configFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // A file that is there keeps its mode when it is written to.
  await rm(file, { force: true })
  await writeFile(file, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  return file
}

/** False when there was none. */
export async function removeLogin(env: NodeJS.ProcessEnv): Promise<boolean> {
  const file = configFile(env)
  const isThere = await readFile(file).then(
    () => true,
    () => false,
  )
  await rm(file, { force: true })
  return isThere
}
