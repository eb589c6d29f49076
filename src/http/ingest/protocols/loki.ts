import { tellPlain } from '../../errors.ts'
import { refusalTexts } from './own.ts'
import { basicToken, one, type Protocol, refusedCount } from './protocol.ts'

/**
 * Loki's push. The token is the password of basic authentication or a bearer; the tenant names the source, or else
 * a label of each stream. Success is 204 without a body; errors are plain text, which its senders put into their logs.
 * 400 makes them drop a batch, 429 and 5xx repeat it.
 */
export const loki: Protocol = {
  readsSourceInBody: false,
  token: ({ headers }) => basicToken(headers) || null,
  source({ headers }) {
    const name = one(headers['x-scope-orgid'])
    return name === '' ? null : { name }
  },
  answer(response, outcomes) {
    if (refusedCount(outcomes) === 0) {
      response.statusCode = 204
      response.removeHeader('content-type')
      response.end()
    } else sendText(response, 400, refusalTexts(outcomes).slice(0, 20).join('\n'))
  },
  refuse(response, error) {
    const { status, reason } = tellPlain(error, response)
    sendText(response, status, reason)
    return status
  },
}

function sendText(response: Parameters<Protocol['answer']>[0], status: number, text: string): void {
  response.statusCode = status
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text) + 1)
  response.end(`${text}\n`)
}
