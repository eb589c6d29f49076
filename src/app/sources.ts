/**
 * The sources of all accounts, for the parts that keep something for each of them. What other nodes change is taken up
 * from the catalog.
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { Source } from '../model/source.ts'

export type SourceList = {
  all(): readonly Source[]
  idOf(token: string): number | undefined
  /** A source is new or has other settings. */
  adopt(source: Source): Promise<void>
  /** Resolves when nothing is left of it. */
  drop(source: Source): Promise<void>
  /** From now on what other nodes change counts here. */
  start(): Promise<void>
  stop(): void
}

type Parts = {
  catalog: Catalog
  onChanged(source: Source): Promise<void>
  onGone(source: Source): Promise<void>
  onError(error: unknown): void
}

const AGAIN_MS = 2_000

export async function createSourceList({ catalog, onChanged, onGone, onError }: Parts): Promise<SourceList> {
  let known = new Map((await catalog.sources.all()).map((source) => [source.token, source]))
  /** Grows with every change, so that what was read before it is not taken for newer. */
  let round = 0
  let isReading = false
  let stop = (): void => {}

  async function adopt(source: Source): Promise<void> {
    round += 1
    known.set(source.token, source)
    await onChanged(source)
  }

  async function drop(source: Source): Promise<void> {
    round += 1
    if (known.delete(source.token)) await onGone(source)
  }

  async function takeUp(): Promise<void> {
    for (;;) {
      const asked = round
      const now = new Map((await catalog.sources.all()).map((source) => [source.token, source]))
      const gone = [...known.values()].filter(({ token }) => !now.has(token))
      const deleted = (await catalog.shared?.deleted(gone.map(({ token }) => token))) ?? new Set()
      if (asked !== round) continue
      const changed = [...now.values()].filter((source) => !isSame(source, known.get(source.token)))
      known = new Map([...now, ...gone.map((source) => [source.token, source] as const)])
      for (const source of changed) await onChanged(source)
      for (const source of gone) await takeLeave(source, deleted)
      return
    }
  }

  /** A database that fell back to an earlier moment may lack sources that nobody deleted: their events stay. */
  async function takeLeave(source: Source, deleted: ReadonlySet<string>): Promise<void> {
    if (deleted.has(source.token)) return drop(source)
    known.delete(source.token)
    onError(new Error(`The metadata lacks the source ${source.name}, which nobody deleted. Its events are kept.`))
  }

  async function takeUpSoon(): Promise<void> {
    if (isReading) return
    isReading = true
    await takeUp().catch((error: unknown) => {
      onError(error)
      setTimeout(takeUpSoon, AGAIN_MS).unref()
    })
    isReading = false
  }

  return {
    all: () => [...known.values()],
    idOf: (token) => known.get(token)?.id,
    adopt,
    drop,
    async start() {
      // Whoever changes a source of this process alone tells all parts of it.
      if (!catalog.shared) return
      stop = catalog.changes.listen(({ noun }) => {
        if (noun !== 'source' && noun !== 'account') return
        round += 1
        void takeUpSoon()
      })
      await takeUpSoon()
    },
    stop: () => stop(),
  }
}

const isSame = (source: Source, known: Source | undefined): boolean => JSON.stringify(source) === JSON.stringify(known)
