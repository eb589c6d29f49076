/**
 * People: how somebody becomes known here (first owner, log-in), and leaves.
 *
 * Promises: an unknown e-mail and a wrong password get the same answer in the same time; every log-in makes a new
 * session, whatever the browser presented before; tries are counted by e-mail and by address.
 * Refuses: a second first owner (`conflict`), and the first one from elsewhere without the management token.
 */
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Account } from '../../model/account.ts'
import type { SessionRecord, User } from '../../model/person.ts'
import type { Access } from '../access.ts'
import { csrfTokenOf } from './csrf.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createThrottle } from './throttle.ts'

/** Where a request comes from. */
export type Visitor = {
  address: string
  /** From this very machine, with nothing in between. */
  isLocal: boolean
  isHttps: boolean
  userAgent: string | null
}

export type LoggedIn = {
  user: User
  account: Account
  session: SessionRecord /** For the cookie. */
  value: string
  csrfToken: string
}

export type People = {
  needsOwner(): Promise<boolean>
  setUp(
    owner: { email: string; name: string | null; password: string; token: string | null },
    visitor: Visitor,
  ): Promise<LoggedIn>
  logIn(given: { email: string; password: string }, visitor: Visitor): Promise<LoggedIn>
  /** A session for somebody who has shown who they are. */
  welcome(user: User, visitor: Visitor): Promise<LoggedIn>
  passwords: Passwords
}

const WINDOW_MS = 15 * 60_000
const TRIES_PER_EMAIL = 10
const TRIES_PER_ADDRESS = 50
const USER_AGENT_MAX = 255

type Parts = { catalog: Catalog; access: Access; clock: Clock; passwords?: Passwords }

export function createPeople({ catalog, access, clock, passwords = createPasswords() }: Parts): People {
  const perEmail = createThrottle({ clock, tries: TRIES_PER_EMAIL, perMs: WINDOW_MS })
  const perAddress = createThrottle({ clock, tries: TRIES_PER_ADDRESS, perMs: WINDOW_MS })
  // One that is known is not asked again: people are made once and the question comes with every page.
  let hasUsers = false

  async function needsOwner(): Promise<boolean> {
    hasUsers ||= await catalog.users.exist()
    return !hasUsers
  }

  async function welcome(user: User, { address, userAgent }: Visitor): Promise<LoggedIn> {
    const account = await catalog.accounts.byId(user.account_id)
    if (!account) throw new Fault('unauthorized', 'Unauthorized')
    const { session, value } = await catalog.sessions.create(user.id, {
      address,
      user_agent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    })
    await catalog.users.noteLogin(user.id)
    return { user, account, session, value, csrfToken: csrfTokenOf(value) }
  }

  /** Who reaches the port first must not own the service, unless it is somebody on this machine. */
  async function allowSetUp(token: string | null, owner: Account, { isLocal }: Visitor): Promise<void> {
    if (token === null) {
      if (isLocal) return
      throw new Fault(
        'forbidden',
        'From another machine this needs the management token, printed at the first start, as token.',
      )
    }
    const identity = await access.identify(token)
    access.allow(identity, { to: 'manage', role: 'owner' })
    if (identity.account.id !== owner.id) throw new Fault('forbidden', 'This needs a token of the first account.')
  }

  return {
    needsOwner,
    welcome,
    passwords,

    async setUp({ email, name, password, token }, visitor) {
      const { account } = await catalog.accounts.ensureOwner()
      if (!(await needsOwner())) throw alreadyOwned()
      perAddress.take(visitor.address)
      await allowSetUp(token, account, visitor)
      const hash = await passwords.hash(password)
      const user = await catalog.users.createFirst(account.id, { email, name, role: 'owner', password: hash })
      if (!user) throw alreadyOwned()
      perAddress.giveBack(visitor.address)
      return welcome(user, visitor)
    },

    async logIn({ email, password }, visitor) {
      perAddress.take(visitor.address)
      perEmail.take(email)
      const user = await catalog.users.byEmail(email)
      const stored = user && (await catalog.users.passwordOf(user.id))
      if (!(await passwords.verify(password, stored)) || !user)
        throw new Fault('unauthorized', 'E-mail or password is wrong.')
      perEmail.giveBack(email)
      perAddress.giveBack(visitor.address)
      return welcome(user, visitor)
    },
  }
}

const alreadyOwned = (): Fault =>
  new Fault('conflict', 'This service has an owner already. Log in, or ask for an invitation.')
