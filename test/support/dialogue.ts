/** The few sentences every black-box test says to the service: make a source, send events, ask, wait until loaded. */
import { processTree } from '../../bench/machine.ts'
import { type Service, until } from './service.ts'

/** Rows of every shape; looking into them is what the tests are for. */
export type Row = ReturnType<typeof JSON.parse>

/** Holds for every event a test sends, as every query must say something about `timestamp`. */
export const ALWAYS = "timestamp > timestamp '2020-01-01 00:00:00+00'"

/** With this much in it a source is loaded within seconds; a small one waits half a minute. */
const SOON_LOADED_BYTES = 1_200_000

export async function json(answer: Response): Promise<Row> {
  return JSON.parse(await answer.text())
}

export function post(service: Service, path: string, body: unknown, token?: string): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token) headers.authorization = `Bearer ${token}`
  return service.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

export async function newSource(service: Service, name: string, token?: string): Promise<{ token: string }> {
  const answer = await post(service, '/api/sources', { name }, token)
  if (answer.status !== 201) throw new Error(`no source was made: ${answer.status} ${await answer.text()}`)
  return json(answer)
}

/** Sends events and insists on the promise that they are stored. */
export async function store(service: Service, name: string, events: object[]): Promise<void> {
  const answer = await post(service, `/api/logs?source_name=${name}`, { batch: events })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the events were not stored: ${answer.status} ${text}`)
}

export function ask(service: Service, sql: string, token?: string): Promise<Response> {
  const init = token ? { headers: { authorization: `Bearer ${token}` } } : {}
  return service.fetch(`/api/query?sql=${encodeURIComponent(sql)}`, init)
}

export async function rows(service: Service, sql: string): Promise<Row[]> {
  const answer = await ask(service, sql)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the query failed: ${answer.status} ${text}\n${sql}`)
  return JSON.parse(text).result
}

export async function count(service: Service, name: string, condition = 'true'): Promise<number> {
  const [row] = await rows(service, `select count(*) as n from \`${name}\` where ${ALWAYS} and ${condition}`)
  return row.n
}

export async function health(service: Service): Promise<Row> {
  return json(await service.fetch('/health'))
}

/** Not one of those that `fillUp` sent. */
export const NO_FILLER = "coalesce(event_message, '') not like 'filler %'"

/** Gives the source enough rows to be worth a part of its own. */
export async function fillUp(service: Service, name: string): Promise<void> {
  const message = 'filler '.repeat(1000)
  await store(
    service,
    name,
    Array.from({ length: Math.ceil(SOON_LOADED_BYTES / message.length) }, () => ({ message })),
  )
}

/** Everything acknowledged is in parts, and the journal is no longer needed for it. */
export async function untilLoaded(service: Service, withinMs = 60_000): Promise<void> {
  await until(async () => (await health(service)).warehouse.unloaded_bytes === 0, withinMs, 100)
}

/** What the source had until now is in parts; with `fillUp` before, that is a matter of seconds. */
export async function untilInParts(service: Service, token: string, withinMs = 60_000): Promise<void> {
  const bytes = async (): Promise<number> => (await json(await service.fetch(`/api/sources/${token}`))).metrics.bytes
  await until(async () => (await bytes()) > 0, withinMs, 100)
}

/** The engine's process, which is the only child of the front. */
export function enginePid(service: Service): number | undefined {
  return processTree(service.pid)[1]
}
