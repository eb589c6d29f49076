/** One JSON body to one address, over the way of backends: guarded, without redirects, within a time. */
import { createHttpReceiver } from '../backends/http.ts'
import type { Outcome, Surroundings } from '../backends/kind.ts'
import { teller } from './backend.ts'

const NOBODY = teller({ token: '', name: '' })

export async function post(url: string, body: object, surroundings: Surroundings): Promise<Outcome> {
  const text = JSON.stringify(body)
  const receiver = createHttpReceiver(
    { url, headers: { 'user-agent': 'millrace' }, gzip: false, encode: () => text, probeBody: '' },
    surroundings,
  )
  try {
    return await receiver.send({ source: NOBODY, events: [] })
  } finally {
    receiver.stop()
  }
}
