/** For those who forgot their password. The answers tell nobody who has an account here. */
import { z } from 'zod'
import { assertNotCrossSite } from '../../../access/people/csrf.ts'
import type { People } from '../../../access/people/people.ts'
import type { Resets } from '../../../access/people/resets.ts'
import { Email, NewPassword } from '../../../model/person.ts'
import { nothing, type Routes } from '../../route.ts'

const area = 'people'

type Parts = { people: People; resets: Resets; onMailLost(error: unknown): void }

export function addPasswordResetRoutes(routes: Routes, { people, resets, onMailLost }: Parts): void {
  routes.addOpen({
    ...nothing,
    method: 'POST',
    path: '/api/password-reset',
    area,
    summary: 'Ask for a mail with a link that sets a new password; the answer is the same for every e-mail',
    body: z.strictObject({ email: Email }),
    status: 202,
    answer: z.object({ message: z.string() }),
    async run({ body: { email }, headers, visitor }) {
      assertNotCrossSite(headers)
      people.attempts.count(visitor.address, `reset ${email}`)
      // Not waited for: the time of the answer would tell whether there is somebody to write to.
      resets.send(email).catch(onMailLost)
      return { message: 'If somebody here has this e-mail, a link is on its way.' }
    },
  })

  routes.addOpen({
    ...nothing,
    method: 'POST',
    path: '/api/password-reset/confirm',
    area,
    summary: 'Set a new password with the token of the link; all sessions of the person end',
    body: z.strictObject({ token: z.string().min(1).max(512), password: NewPassword }),
    status: 204,
    async run({ body, headers, visitor }) {
      assertNotCrossSite(headers)
      const giveBack = people.attempts.count(visitor.address)
      await resets.confirm(body)
      giveBack()
      return undefined
    },
  })
}
