import { createHmac, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../../base/faults.ts'
import { own } from './own.ts'
import { one, type Protocol } from './protocol.ts'

/**
 * Vercel proves who sends by signing the body (HMAC-SHA1), which is asked for where a secret is set; and wants proof
 * whose address it is: every answer repeats the word it sent as `x-vercel-verify`, or that stands in the query.
 */
export function createVercel(secret: string | null): Protocol {
  return {
    ...own,
    greet(response, { headers, query }) {
      const word = one(headers['x-vercel-verify']) || one(query.verify)
      if (/^[\w.~+/=-]{1,200}$/.test(word)) response.setHeader('x-vercel-verify', word)
    },
    verify(wire, { headers }) {
      if (secret === null) return
      const expected = createHmac('sha1', secret).update(wire).digest()
      const given = Buffer.from(one(headers['x-vercel-signature']), 'hex')
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new Fault(
          'forbidden',
          'The header x-vercel-signature does not fit the body and the secret of this service.',
        )
    },
  }
}
