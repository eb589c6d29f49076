import { type Receipt, refusalText } from '../../../ingest/accept.ts'
import { answerPlain } from '../../errors.ts'
import type { LaneResponse } from '../../lane.ts'
import type { Outcome, Protocol } from './protocol.ts'

const LOGGED = '{"message":"Logged!"}'

/** The service's own: 200 and a word when all is stored, 406 and the reasons when some events were refused. */
export const own: Protocol = {
  readsSourceInBody: true,
  answer(response, outcomes, { format }) {
    const refusals = format.hidesRefused ? [] : refusalTexts(outcomes)
    if (refusals.length === 0) sendLogged(response)
    else {
      const body = JSON.stringify({ message: refusals })
      response.statusCode = 406
      response.setHeader('content-length', Buffer.byteLength(body))
      response.end(body)
    }
  },
  refuse: (response, error) => void answerPlain(error, response),
}

function sendLogged(response: LaneResponse): void {
  response.statusCode = 200
  response.setHeader('content-length', LOGGED.length)
  response.end(LOGGED, 'latin1')
}

export function refusalTexts(outcomes: Outcome[]): string[] {
  return outcomes.flatMap((outcome) => {
    if (!('receipt' in outcome)) return []
    const texts = textsOf(outcome.receipt)
    // Events are counted among those of their own name.
    return outcome.part === null ? texts : texts.map((text) => `${outcome.part}: ${text}`)
  })
}

function textsOf({ refused, refusedCount }: Receipt): string[] {
  const texts = refused.map(refusalText)
  const more = refusedCount - texts.length
  return more > 0 ? [...texts, `and ${more} more events`] : texts
}
