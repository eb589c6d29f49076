/** The first visit: what the log-in page must know, and how the first owner is made. */
import { z } from 'zod'
import { assertNotCrossSite } from '../../../access/people/csrf.ts'
import type { People } from '../../../access/people/people.ts'
import { Email, NewPassword, PersonName } from '../../../model/person.ts'
import { VERSION } from '../../openapi.ts'
import { nothing, type Routes } from '../../route.ts'
import { enter, SessionAnswer } from './session.ts'

type Parts = { people: People; oidcLabel: string | null; hasMail: boolean }

const area = 'people'

export function addSetupRoutes(routes: Routes, { people, oidcLabel, hasMail }: Parts): void {
  routes.addOpen({
    ...nothing,
    method: 'GET',
    path: '/api/setup',
    area,
    summary: 'Whether an owner is still to be made, and which ways to log in there are',
    status: 200,
    answer: z.object({
      needs_owner: z.boolean(),
      oidc: z.object({ label: z.string() }).nullable(),
      version: z.string(),
      mail: z.boolean(),
    }),
    run: async () => ({
      needs_owner: await people.needsOwner(),
      oidc: oidcLabel === null ? null : { label: oidcLabel },
      version: VERSION,
      mail: hasMail,
    }),
  })

  routes.addOpen({
    ...nothing,
    method: 'POST',
    path: '/api/setup',
    area,
    summary: 'Make the first owner; from another machine with the management token as token',
    body: z.strictObject({
      email: Email,
      name: PersonName.nullish(),
      password: NewPassword,
      token: z.string().trim().max(512).nullish(),
    }),
    status: 201,
    answer: SessionAnswer,
    async run({ body: { email, name, password, token }, headers, visitor, setHeader }) {
      assertNotCrossSite(headers)
      return enter(
        await people.setUp({ email, name: name ?? null, password, token: token || null }, visitor),
        visitor,
        setHeader,
      )
    },
  })
}
