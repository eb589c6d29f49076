import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { InvalidRecord } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import {
  ALERT_DEFAULTS,
  type Alert,
  type AlertChanges,
  AlertDefinition,
  AlertSettings,
  type AlertStanding,
  type NewAlert,
  SEALED_ALERT_SETTINGS,
} from '../model/alert.ts'
import type { QueryFacts } from '../model/endpoint.ts'
import { createSchedule } from '../model/schedule.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Secrets } from './secrets.ts'
import type { Database, Tables } from './tables.ts'

export type Alerts = ReturnType<typeof createAlerts>

type Parts = { db: Database; secrets: Secrets; clock: Clock; changes: Changes }

type Row = Selectable<Tables['alerts']>

/** More wait for the next look, which is soon. */
const DUE_AT_A_TIME = 500

/** It may also settle the language, where the backend decides it. */
type Checked = QueryFacts & Partial<Pick<AlertSettings, 'language'>>

/** Looks at an alert before it is saved; throws an `InvalidRecord` when it cannot be. */
export type CheckAlert = (settings: AlertSettings, before: Alert | null) => Promise<Checked>

/** Alerts by account. A name is unique among the alerts of its account. */
export function createAlerts({ db, secrets, clock, changes }: Parts) {
  const now = (): string => new Date(clock.nowMs()).toISOString()
  const place = (token: string): string => `alert:${token}`

  function toColumns(token: string, { name, ...definition }: AlertDefinition): Columns {
    const plain: Record<string, unknown> = { ...definition }
    const sealed: Record<string, unknown> = {}
    for (const key of SEALED_ALERT_SETTINGS) {
      sealed[key] = plain[key]
      delete plain[key]
    }
    return {
      name,
      definition: JSON.stringify(plain),
      sealed: secrets.seal(JSON.stringify(sealed), place(token)),
    }
  }

  function nextRun(settings: AlertSettings): string | null {
    if (!settings.enabled) return null
    const at = createSchedule(settings).next(clock.nowMs())
    return at === null ? null : new Date(at).toISOString()
  }

  function fromRow({ id, account_id, token, name, definition, sealed, inserted_at, updated_at, ...row }: Row): Alert {
    const read = AlertDefinition.parse({
      ...ALERT_DEFAULTS,
      ...JSON.parse(definition),
      ...JSON.parse(secrets.open(sealed, place(token))),
      name,
    })
    return { ...read, ...standingOf(row), id, account_id, token, inserted_at, updated_at }
  }

  const rowOf = (accountId: number, token: string): Promise<Row | undefined> =>
    db
      .selectFrom('alerts')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('token', '=', token.toLowerCase())
      .executeTakeFirst()

  return {
    async list(accountId: number): Promise<Alert[]> {
      const rows = await db.selectFrom('alerts').selectAll().where('account_id', '=', accountId).execute()
      return rows.map(fromRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },

    async byToken(accountId: number, token: string): Promise<Alert | null> {
      const row = await rowOf(accountId, token)
      return row ? fromRow(row) : null
    },

    async create(accountId: number, { token = uuid4(), ...chosen }: NewAlert, check: CheckAlert): Promise<Alert> {
      const settings = AlertSettings.parse({ ...ALERT_DEFAULTS, ...given(chosen) })
      const definition = { ...settings, ...(await check(settings, null)) }
      const at = now()
      const row = await takenNamed(() =>
        db
          .insertInto('alerts')
          .values({
            account_id: accountId,
            token,
            ...toColumns(token, definition),
            revision: 1,
            state: 'waiting',
            next_run_at: nextRun(settings),
            inserted_at: at,
            updated_at: at,
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
      changes.announce({ noun: 'alert' })
      return fromRow(row)
    },

    async update(
      accountId: number,
      token: string,
      { token: sentToken, ...sent }: AlertChanges,
      check: CheckAlert,
    ): Promise<Alert | null> {
      if (sentToken !== undefined && sentToken !== token.toLowerCase()) {
        throw new InvalidRecord({ token: ['cannot be changed'] })
      }
      for (;;) {
        const stored = await rowOf(accountId, token)
        if (!stored) return null
        const before = fromRow(stored)
        const settings = AlertSettings.parse({ ...settingsOf(before), ...given(sent) })
        const definition = { ...settings, ...(await check(settings, before)) }
        const row = await takenNamed(() =>
          db
            .updateTable('alerts')
            .set({
              ...toColumns(stored.token, definition),
              ...(isSameSchedule(settings, before) ? {} : { next_run_at: nextRun(settings) }),
              revision: stored.revision + 1,
              updated_at: now(),
            })
            .where('id', '=', stored.id)
            .where('revision', '=', stored.revision)
            .returningAll()
            .executeTakeFirst(),
        )
        if (row) {
          changes.announce({ noun: 'alert' })
          return fromRow(row)
        }
        // Somebody else changed it meanwhile: their change stays, ours is made on top of it.
      }
    },

    /** Those whose time has come, of all accounts, the longest overdue first. */
    async due(nowMs: number): Promise<Alert[]> {
      const rows = await db
        .selectFrom('alerts')
        .selectAll()
        .where('next_run_at', '<=', new Date(nowMs).toISOString())
        .orderBy('next_run_at')
        .limit(DUE_AT_A_TIME)
        .execute()
      return rows.map(fromRow)
    },

    /** Whether this node is the one to run it: the first that moves it on from where it was read. */
    async claim({ id, next_run_at }: Pick<Alert, 'id' | 'next_run_at'>, nextMs: number | null): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('alerts')
        .set({ next_run_at: nextMs === null ? null : new Date(nextMs).toISOString() })
        .where('id', '=', id)
        .where('next_run_at', '=', next_run_at)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /** What a run found. Nothing happens when the alert is gone. */
    async settle(id: number, standing: Omit<AlertStanding, 'next_run_at'>): Promise<void> {
      await db.updateTable('alerts').set(standing).where('id', '=', id).execute()
    },

    /** Gives a next run to those that were saved before there was one. */
    async plan(): Promise<void> {
      const rows = await db.selectFrom('alerts').selectAll().where('next_run_at', 'is', null).execute()
      for (const alert of rows.map(fromRow)) {
        const next_run_at = nextRun(alert)
        if (next_run_at === null) continue
        const update = db.updateTable('alerts').set({ next_run_at }).where('id', '=', alert.id)
        await update.where('next_run_at', 'is', null).execute()
      }
    },

    async remove(accountId: number, token: string): Promise<boolean> {
      const row = await db
        .deleteFrom('alerts')
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .returning('id')
        .executeTakeFirst()
      changes.announce({ noun: 'alert' })
      return row !== undefined
    },
  }
}

/** A change of anything else leaves the next run where it is, also when that moves on meanwhile. */
const isSameSchedule = (a: AlertSettings, b: AlertSettings): boolean =>
  a.cron === b.cron && a.timezone === b.timezone && a.enabled === b.enabled

const State = z.enum(['waiting', 'ok', 'firing', 'failing'])

function standingOf(row: Record<keyof AlertStanding, string | null>): AlertStanding {
  const { state_since, last_run_at, next_run_at, last_told_at, last_error } = row
  return { state: State.parse(row.state), state_since, last_run_at, next_run_at, last_told_at, last_error }
}

type Columns = Pick<Row, 'name' | 'definition' | 'sealed'>

function settingsOf(alert: Alert): AlertSettings {
  const fields: Record<string, unknown> = { ...alert }
  const names = Object.keys(AlertSettings.shape)
  return AlertSettings.parse(Object.fromEntries(names.map((name) => [name, fields[name]])))
}

/** The fields that were sent, without those that are present but undefined. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

async function takenNamed<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const where = uniqueViolation(error)
    if (where === null) throw error
    throw new InvalidRecord({ [where.includes('name') ? 'name' : 'token']: ['has already been taken'] })
  }
}
