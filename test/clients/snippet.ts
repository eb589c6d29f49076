/**
 * The examples of the guide, taken from its pages. An example is known by its page, the heading it stands under and its
 * language, and is the program that the tests run: what a reader copies is what was tried.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Snippet = { page: string; heading: string; language: string; text: string }

/** What a reader puts in: where the service is, a token, and a source by name and by token. */
export type Filling = { url: string; token: string; source: { name: string; token: string }; ports?: Ports }

/** Of the listeners beside HTTP, by the port that the guide uses in its examples. */
export type Ports = Record<string, number>

/** The pages that set up a listener, under which heading, and its port there. */
export const LISTENING = [
  { page: 'syslog', heading: 'The listener', port: '5514' },
  { page: 'fluentd', heading: 'The listener', port: '24224' },
  { page: 'opentelemetry', heading: 'The listener for gRPC', port: '4317' },
]

/** One that asks for more, so that it runs by itself, and the files that it needs. */
export const SECURED = { page: 'fluentd', heading: 'The listener with TLS, a shared key and users', port: '24225' }
export const SECURED_FILES = '/etc/millrace'

const folder = join(import.meta.dirname, '../../docs/guide/send')

export function allSnippets(): Snippet[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => snippetsOf(name.slice(0, -3)))
}

export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(folder, `${page}.md`), 'utf8')
  const found: Snippet[] = []
  let heading = ''
  for (const [, title, language, code] of text.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else found.push({ page, heading, language: language ?? '', text: code ?? '' })
  }
  return found
}

/** Whether it is for a listener beside HTTP: it sets one up, or speaks to one. */
export const isForListener = ({ text }: Snippet): boolean =>
  [...LISTENING, SECURED].some(({ port }) => text.includes(port))

export const nameOf = ({ page, heading, language }: Omit<Snippet, 'text'>): string =>
  `${page}: ${heading} (${language})`

export function fillIn(text: string, { url, token, source, ports = {} }: Filling): string {
  const { port } = new URL(url)
  const filled = text
    .replaceAll('https://logs.example.com', url)
    .replaceAll(/\b4000\b/g, port)
    .replaceAll('<uuid>', source.token)
    .replaceAll('<token>', token)
    .replaceAll(/\bshop\b/g, source.name)
  return Object.entries(ports).reduce((done, [shown, real]) => done.replaceAll(shown, String(real)), filled)
}
