/** Every example of the guide to sending runs, or is replayed where its program is not here, and stores what it says. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSource } from '../support/dialogue.ts'
import { type Service, startService, until } from '../support/service.ts'
import type { Example } from './example.ts'
import { examples } from './examples/examples.ts'
import { type Ended, hasPackages, runCommands, runProgram } from './run.ts'
import { allSnippets, fillIn, isForListener, nameOf, snippetsOf } from './snippet.ts'

/** How configurations name a variable of the environment. */
const VARIABLE =
  /(?<=env!?\(")MILLRACE_TOKEN|\$\{(?:env:)?MILLRACE_TOKEN\}|#\{ENV\['MILLRACE_TOKEN'\]\}|`MILLRACE_TOKEN`/g

const WRONG_TOKEN = 'wrong-token-0123456789abcdef'

let service: Service
beforeAll(async () => {
  service = await startService({ readyWithinMs: 60_000 })
}, 90_000)
afterAll(() => service?.remove())

let made = 0
async function sourceFor({ page }: Example): Promise<{ name: string; token: string }> {
  made += 1
  const name = `${page}-${made}`
  return { name, token: (await newSource(service, name)).token }
}

async function storedIn(token: string): Promise<Record<string, unknown>[]> {
  const answer: unknown = await (await service.fetch(`/api/sources/${token}/recent`)).json()
  if (!Array.isArray(answer)) throw new Error(`no events: ${JSON.stringify(answer)}`)
  return answer.sort((a, b) => String(a.event_message).localeCompare(String(b.event_message)))
}

const hasStored = async ({ stored }: Example, token: string): Promise<boolean> =>
  (await storedIn(token)).length >= stored.length

async function follow(example: Example, token: string, source: { name: string; token: string }): Promise<Ended> {
  const snippet = snippetsOf(example.page).find(
    ({ heading, language }) => heading === example.heading && language === example.language,
  )
  if (!snippet) throw new Error(`the guide has no ${nameOf(example)}`)
  const text = fillIn(example.variant?.of(snippet.text) ?? snippet.text, { url: service.url, token, source })
  if (example.replay) return replay(example, text.replaceAll(VARIABLE, token))
  const env = { MILLRACE_TOKEN: token }
  if (example.language === 'sh') return runCommands(text, env)
  const isSilent = token === WRONG_TOKEN && !example.refused
  if (!example.isServer || isSilent) return runProgram(text, env)
  const isTold = (said: string): boolean => example.refused?.test(said) ?? false
  return runProgram(text, env, async (said) => isTold(said) || (await hasStored(example, source.token)))
}

async function replay(example: Example, config: string): Promise<Ended> {
  let said = ''
  let code = 0
  for (const { url, status, ...request } of [example.replay!(config)].flat()) {
    const answer = await fetch(url, { method: 'POST', ...request })
    said += `${answer.status} ${await answer.text()}\n`
    if (answer.status !== status) code = 1
  }
  return { code, said, complaints: code === 0 ? '' : said }
}

/** Programs, and readers of YAML, need the packages of this folder. */
const needsPackages = ({ language, page }: Example): boolean =>
  ['js', 'yaml'].includes(language) || (language === 'sh' && page === 'pino') || page === 'loki'

for (const example of examples) {
  const name = [nameOf(example), example.variant?.name, example.replay && 'replayed'].filter(Boolean).join(', ')
  const check = test.skipIf(needsPackages(example) && !hasPackages)

  check(`${name} is stored`, async () => {
    const source = await sourceFor(example)
    const ended = await follow(example, service.managementToken, source)
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    await until(() => hasStored(example, source.token), 10_000)
    const expected = example.stored.map((event) => ({
      id: expect.any(String),
      timestamp: expect.any(Number),
      ...event,
    }))
    expect(await storedIn(source.token)).toEqual(expected)
  })

  check(`${name} shows that a wrong token was refused`, async () => {
    const source = await sourceFor(example)
    const { said } = await follow(example, WRONG_TOKEN, source)
    if (example.refused) expect(said).toMatch(example.refused)
    expect(await storedIn(source.token)).toEqual([])
  })
}

test('no example of the guide is left out', () => {
  const forHttp = allSnippets().filter((snippet) => !isForListener(snippet))
  expect([...new Set(examples.map(nameOf))].sort()).toEqual(forHttp.map(nameOf).sort())
})
