/** Looks at the backends of sources now and then, and reports those that stopped taking events, or refused some. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Backend, BackendStatus } from '../model/backend.ts'
import type { Source } from '../model/source.ts'
import type { Told } from './message.ts'

export type BackendStatusOf = (backend: Backend) => Promise<BackendStatus>

type Parts = {
  catalog: Pick<Catalog, 'backends'>
  statusOf: BackendStatusOf
  report(sourceToken: string, told: Told): void
}

type Seen = { isWell: boolean; deadLetters: number; dropped: number }

export function createBackendWatch({ catalog, statusOf, report }: Parts): { look(sources: Source[]): Promise<void> } {
  let seen = new Map<string, Seen>()

  async function lookAt(source: Source, backend: Backend): Promise<[string, Seen]> {
    const key = `${source.token} ${backend.token}`
    const { state, dead_letters, dropped, last_error } = await statusOf(backend)
    const now = { isWell: state === 'ok', deadLetters: dead_letters, dropped }
    const before = seen.get(key) ?? { isWell: true, deadLetters: dead_letters, dropped }
    const isNews = (before.isWell && !now.isWell) || dead_letters > before.deadLetters || dropped > before.dropped
    if (isNews) {
      const sample = { backend: backend.name, state, dead_letters, error: last_error }
      report(source.token, { kind: 'backend_failures', count: 1, samples: [sample] })
    }
    return [key, now]
  }

  return {
    async look(sources) {
      const next = new Map<string, Seen>()
      for (const source of sources)
        for (const backend of await catalog.backends.ofSource(source.id)) {
          const [key, now] = await lookAt(source, backend)
          next.set(key, now)
        }
      seen = next
    },
  }
}
