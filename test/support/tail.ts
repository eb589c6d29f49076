/** A reader of live tail that keeps what it was sent. */
import { readSse } from '../../src/cli/sse.ts'
import { type Service, until } from './service.ts'

/** Of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>

export type TailStream = {
  events(): Json[]
  /** The other messages of a kind. */
  messages(kind: string): Json[]
  /** Where it is, to go on from. */
  cursor(): string
  /** Resolves when it was told that it is live. */
  isLive(): Promise<void>
  close(): void
}

export async function openTail(
  service: Service,
  token: string,
  { cursor }: { cursor?: string } = {},
): Promise<TailStream> {
  const ending = new AbortController()
  const answer = await service.fetch(`/api/sources/${token}/tail`, {
    headers: cursor === undefined ? {} : { 'last-event-id': cursor },
    signal: ending.signal,
  })
  if (!answer.body || !answer.ok) throw new Error(`no stream: ${answer.status} ${await answer.text()}`)
  const taken: { event: string; data: Json }[] = []
  let place = ''
  let isLive = false
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer.body!) {
      isLive ||= Buffer.from(chunk).includes(': live')
      yield chunk
    }
  }
  const reading = (async () => {
    for await (const { event, id, data } of readSse(bytes())) {
      if (id) place = id
      if (data !== '') taken.push({ event, data: JSON.parse(data) })
    }
  })()
  reading.catch(() => {})
  const of = (kind: string): Json[] => taken.filter(({ event }) => event === kind).map(({ data }) => data)
  return {
    events: () => of('message'),
    messages: of,
    cursor: () => place,
    isLive: () => until(() => isLive),
    close: () => ending.abort(),
  }
}
