/**
 * People: how somebody becomes known here (first owner, log-in), and changes their password.
 *
 * Promises: an unknown e-mail and a wrong password get the same answer in the same time; every log-in makes a new
 * session, whatever the browser presented before; tries are counted by e-mail and by address, and those that fail are in
 * the log of changes.
 * Refuses: a second first owner (`conflict`), and the first one from elsewhere without the management token.
 */
import type { Clock } from '../../base/clock.ts'
import { Fault, InvalidRecord } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Account } from '../../model/account.ts'
import type { User } from '../../model/person.ts'
import type { Access } from '../access.ts'
import { type Attempts, createAttempts } from './attempts.ts'
import { csrfTokenOf } from './csrf.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import type { PersonIdentity } from './sessions.ts'

/** Where a request comes from. */
export type Visitor = {
  address: string
  /** From this very machine, with nothing in between. */
  isLocal: boolean
  isHttps: boolean
  userAgent: string | null
}

export type LoggedIn = PersonIdentity & { /** For the cookie. */ value: string; csrfToken: string }

export type People = {
  needsOwner(): Promise<boolean>
  setUp(
    owner: { email: string; name: string | null; password: string; token: string | null },
    visitor: Visitor,
  ): Promise<LoggedIn>
  logIn(given: { email: string; password: string }, visitor: Visitor): Promise<LoggedIn>
  /** A session for somebody who has shown who they are. */
  welcome(user: User, visitor: Visitor): Promise<LoggedIn>
  /** For the account of the person; of an e-mail that nobody has, for the first account. */
  noteFailure(who: string, kind: 'session' | 'session/oidc', visitor: Pick<Visitor, 'address'>): Promise<void>
  /** Their own; all other sessions of the person end. */
  changePassword(
    person: PersonIdentity,
    given: { old_password: string; password: string },
    visitor: Visitor,
  ): Promise<void>
  passwords: Passwords
  attempts: Attempts
}

const USER_AGENT_MAX = 255

type Parts = { catalog: Catalog; access: Access; clock: Clock }

export function createPeople({ catalog, access, clock }: Parts): People {
  const passwords = createPasswords()
  const attempts = createAttempts({ clock })

  const needsOwner = async (): Promise<boolean> => !(await catalog.users.exist())

  async function welcome(user: User, { address, userAgent }: Visitor): Promise<LoggedIn> {
    const account = await catalog.accounts.byId(user.account_id)
    if (!account) throw new Fault('unauthorized', 'Unauthorized')
    const { session, value } = await catalog.sessions.create(user.id, {
      address,
      user_agent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    })
    await catalog.users.noteLogin(user.id)
    await catalog.auditLog.add(account.id, {
      ...{ by: 'user', who: user.email, action: 'log in', kind: 'session', record: String(session.id) },
      ...{ fields: [], address },
    })
    return { user, account, session, value, csrfToken: csrfTokenOf(value) }
  }

  /** The same work for every e-mail, as its time could tell which ones are known. */
  async function noteFailure(who: string, kind: string, { address }: Pick<Visitor, 'address'>): Promise<void> {
    const [user, owner] = [await catalog.users.byEmail(who), await catalog.accounts.owner()]
    const accountId = user?.account_id ?? owner?.id
    if (accountId === undefined) return
    await catalog.auditLog.add(accountId, {
      ...{ by: 'user', who, action: 'fail to log in', kind, record: null, fields: [], address },
    })
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
    noteFailure,
    passwords,
    attempts,

    async setUp({ email, name, password, token }, visitor) {
      const { account } = await catalog.accounts.ensureOwner()
      if (!(await needsOwner())) throw alreadyOwned()
      const giveBack = attempts.count(visitor.address)
      await allowSetUp(token, account, visitor)
      const hash = await passwords.hash(password)
      const user = await catalog.users.createFirst(account.id, { email, name, role: 'owner', password: hash })
      if (!user) throw alreadyOwned()
      giveBack()
      return welcome(user, visitor)
    },

    async logIn({ email, password }, visitor) {
      const giveBack = attempts.count(visitor.address, email)
      const user = await catalog.users.byEmail(email)
      const stored = user && (await catalog.users.passwordOf(user.id))
      if (!(await passwords.verify(password, stored)) || !user) {
        await noteFailure(email, 'session', visitor)
        throw new Fault('unauthorized', 'E-mail or password is wrong.')
      }
      giveBack()
      return welcome(user, visitor)
    },

    async changePassword({ user, session }, { old_password, password }, { address }) {
      const stored = await catalog.users.passwordOf(user.id)
      if (stored === null)
        throw new Fault('conflict', 'You log in through an identity provider and have no password here to change.')
      const giveBack = attempts.count(address, user.email)
      if (!(await passwords.verify(old_password, stored))) throw new InvalidRecord({ old_password: ['is wrong'] })
      giveBack()
      await catalog.users.setPassword(user.id, await passwords.hash(password))
      await catalog.sessions.removeAllOf(user.id, session.id)
      await catalog.passwordResets.removeAllOf(user.id)
    },
  }
}

const alreadyOwned = (): Fault =>
  new Fault('conflict', 'This service has an owner already. Log in, or ask for an invitation.')
