/** Something to look at: a shop's requests of the last hour, the same ones every time but for their moment. */
import type { Service } from '../../support/service.ts'

const LEVELS = ['info', 'info', 'info', 'info', 'warning', 'error'] as const
const PATHS = ['/cart', '/checkout', '/products/kettle', '/login']
const HOUR_MS = 3_600_000

export async function sendRequests(service: Service, source: string, count: number): Promise<void> {
  const nowMs = Date.now()
  const events = Array.from({ length: count }, (_, n) => {
    const level = LEVELS[(n * 7) % LEVELS.length]
    const path = PATHS[n % PATHS.length]
    const status = level === 'error' ? 500 : level === 'warning' ? 404 : 200
    return {
      timestamp: new Date(nowMs - ((n * 7919) % HOUR_MS)).toISOString(),
      message: `GET ${path} ${status}`,
      metadata: {
        level,
        path,
        status,
        ms: 3 + ((n * 31) % 240),
        region: n % 3 === 0 ? 'eu' : 'us',
        tags: ['shop', 'web'],
      },
    }
  })
  const answer = await service.fetch(`/api/logs?source_name=${encodeURIComponent(source)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ batch: events }),
  })
  if (!answer.ok) throw new Error(`the events were refused: ${await answer.text()}`)
}

export async function createSource(service: Service, fields: object): Promise<void> {
  const answer = await service.fetch('/api/sources', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  if (!answer.ok) throw new Error(`the source was refused: ${await answer.text()}`)
}
