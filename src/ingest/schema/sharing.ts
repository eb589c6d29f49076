/**
 * Fields that any node has seen are known to all nodes that share the catalog: what this one journals it tells, what others
 * tell it journals as if an event had brought it.
 *
 * Promises: ingest waits for none of it; what could not be told is told later. The type of a field is that of the node that
 * told of it first. A node that saw another one at that very moment keeps its own for its events.
 */
import type { Changes } from '../../catalog/changes.ts'
import type { SharedFields } from '../../catalog/shared/source-fields.ts'
import type { Journal } from '../../journal/journal.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Schemas } from './schemas.ts'

type Parts = {
  schemas: Schemas
  journal: Pick<Journal, 'append' | 'onFrame'>
  shared: SharedFields
  changes: Changes
  onError(error: unknown): void
}

const AGAIN_MS = 2_000

export function createFieldSharing({ schemas, journal, shared, changes, onError }: Parts) {
  /** By source: what others are to be told. */
  let waiting = new Map<string, FlatFields>()
  let work: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | null = null
  let isStopped = false
  const ends: (() => void)[] = []
  /** Bodies of frames with fields that other nodes have seen first. */
  const learnedHere = new WeakSet<Uint8Array>()

  function tell(source: string, fields: FlatFields): void {
    waiting.set(source, { ...waiting.get(source), ...fields })
  }

  async function send(): Promise<void> {
    const told = waiting
    waiting = new Map()
    for (const [source, fields] of told)
      try {
        await shared.add(source, fields)
        told.delete(source)
      } catch (error) {
        for (const [left, those] of told) waiting.set(left, { ...those, ...waiting.get(left) })
        throw error
      }
  }

  async function learn(): Promise<void> {
    for (const { source, fields } of await shared.fresh()) {
      const learned = schemas.of(source).learn(fields)
      if (learned === null) continue
      const body = Buffer.from(JSON.stringify(learned))
      learnedHere.add(body)
      const end = await journal.append([{ kind: 'fields', source, count: 0, minUs: 0, maxUs: 0, body }])
      schemas.confirmed(source, learned, end)
    }
  }

  /** One after the other; what fails is tried again. */
  function soon(what: () => Promise<void>): void {
    work = work.then(what).catch((error: unknown) => {
      onError(error)
      if (isStopped || again !== null) return
      again = setTimeout(() => {
        again = null
        soon(learn)
        soon(send)
      }, AGAIN_MS)
      again.unref()
    })
  }

  return {
    /** Whether a frame of the journal has fields that are news elsewhere, and not here. */
    isLearned: (body: Uint8Array): boolean => learnedHere.has(body),
    /** Learns what others know, and tells them what the journal and the parts of this node hold. */
    async start(sources: readonly { token: string }[]): Promise<void> {
      ends.push(
        journal.onFrame(({ kind, source, body }) => {
          if (kind !== 'fields' || learnedHere.has(body)) return
          tell(source, JSON.parse(Buffer.from(body).toString('utf8')))
          soon(send)
        }),
        changes.listen(({ noun }) => {
          if (noun === 'fields') soon(learn)
        }),
      )
      const own = sources.map(({ token }) => ({ token, fields: schemas.all(token) }))
      soon(learn)
      await work
      for (const { token, fields } of own) if (Object.keys(fields).length > 0) tell(token, fields)
      soon(send)
      await work
    },
    async stop(): Promise<void> {
      isStopped = true
      for (const end of ends) end()
      if (again) clearTimeout(again)
      await work
    },
  }
}
