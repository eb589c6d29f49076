/** Routing rules: which events of a source are copied to another one. */
import { z } from 'zod'
import type { Identity } from '../../access/access.ts'
import { Fault, InvalidRecord } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { problemOf } from '../../lql/lql.ts'
import { check } from '../../model/check.ts'
import { RuleChanges, RuleRecord, type RuleSettings } from '../../model/routing-rule.ts'
import { isSystemSource } from '../../model/source.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../route.ts'

export type RuleParts = {
  catalog: Catalog
  /** Whether the account has a backend with this id. */
  hasBackend(accountId: number, backendId: number): Promise<boolean>
}

const area = 'rules'

/** Each rule is work for every event of its source. */
const RULES_PER_SOURCE_MAX = 1_000

const Created = z.object({ results: z.array(RuleRecord), errors: z.array(z.string()) })

/** Elements of an array are checked one by one, so that a bad one does not keep the others from being made. */
const OneOrMany = z.unknown().meta({
  anyOf: [z.toJSONSchema(RuleChanges, { io: 'input' }), { type: 'array', items: { type: 'object' } }],
})

export function addRuleRoutes(routes: Routes, { catalog, hasBackend }: RuleParts): void {
  const { rules } = catalog

  async function ruleOf({ account }: Identity, token: string): Promise<RuleRecord> {
    const rule = await rules.byToken(account.id, token)
    if (!rule) throw noRule()
    return rule
  }

  async function create({ account }: Identity, sent: unknown): Promise<RuleRecord> {
    const settings = await settle(account.id, check(RuleChanges, sent ?? {}), null)
    return rules.create(account.id, settings)
  }

  async function change(identity: Identity, token: string, changes: RuleChanges): Promise<RuleRecord> {
    const settings = await settle(identity.account.id, changes, await ruleOf(identity, token))
    const rule = await rules.update(identity.account.id, token, settings)
    if (!rule) throw noRule()
    return rule
  }

  /** What was sent over what was there, with everything it names found in the account. */
  async function settle(accountId: number, sent: RuleChanges, old: RuleRecord | null): Promise<RuleSettings> {
    const sources = await catalog.sources.list(accountId)
    const named = sent.source ?? sent.source_id ?? old?.source
    if (named === undefined) throw new InvalidRecord({ source: ["can't be blank"] })
    const source = sources.find(({ id, token }) => token === named || id === named)
    if (!source) throw new Fault('not_found', 'There is no such source.')

    const lql = sent.lql_string === undefined ? (old?.lql_string ?? '') : (sent.lql_string ?? '')
    const sinkToken = sent.sink === undefined ? (old?.sink ?? null) : sent.sink
    const backendId = sent.backend_id === undefined ? (old?.backend_id ?? null) : sent.backend_id
    const sink = sources.find(({ token }) => token === sinkToken)
    const errors: Record<string, string[]> = {}
    const problem = lql === '' ? "can't be blank" : problemOf(lql, 'filter')
    if (problem !== null) errors.lql_string = [problem]
    if (sinkToken !== null && !sink) errors.sink = ['is no source of this account']
    else if (sink && isSystemSource(sink)) errors.sink = ['is written by the service alone']
    else if (sinkToken === source.token) errors.sink = ['is the source itself']
    else if (sinkToken === null && backendId === null) errors.sink = ["can't be blank"]
    if (backendId !== null && !(await hasBackend(accountId, backendId)))
      errors.backend_id = ['is no backend of this account']
    if (old?.source !== source.token && (await rules.ofSource(accountId, source.token)).length >= RULES_PER_SOURCE_MAX)
      errors.source = [`has ${RULES_PER_SOURCE_MAX} rules, and cannot have more`]
    if (Object.keys(errors).length > 0) throw new InvalidRecord(errors)
    return { source_id: source.id, lql_string: lql, sink_id: sink?.id ?? null, backend_id: backendId }
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/rules',
    area,
    summary: 'All rules, oldest first; those of one source or one backend when asked',
    query: z.object({ source: z.uuid().optional(), backend_id: z.coerce.number().int().optional() }),
    status: 200,
    answer: z.array(RuleRecord),
    async run({ identity, query: { source, backend_id } }) {
      const { id } = identity.account
      if (backend_id !== undefined && !(await hasBackend(id, backend_id)))
        throw new Fault('not_found', 'There is no such backend.')
      const listed = source === undefined ? await rules.list(id) : await rules.ofSource(id, source)
      return backend_id === undefined ? listed : listed.filter((rule) => rule.backend_id === backend_id)
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/rules',
    area,
    summary: 'Make one rule; or several from an array, of which those that hold are made',
    body: OneOrMany,
    status: 201,
    answer: z.union([RuleRecord, Created]),
    async run({ identity, body }) {
      if (!Array.isArray(body)) return create(identity, body)
      const created: z.infer<typeof Created> = { results: [], errors: [] }
      for (const sent of body) {
        try {
          created.results.push(await create(identity, sent))
        } catch (error) {
          if (!(error instanceof Fault)) throw error
          created.errors.push(error.message)
        }
      }
      return created.errors.length === 0 ? created : new FinishedJson(JSON.stringify(created), 400)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/rules/:token',
    area,
    summary: 'One rule',
    params: byToken,
    status: 200,
    answer: RuleRecord,
    run: ({ identity, params }) => ruleOf(identity, params.token),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/rules/:token',
    area,
    summary: 'Change the fields that are sent and answer the record',
    params: byToken,
    body: RuleChanges,
    status: 200,
    answer: RuleRecord,
    run: ({ identity, params, body }) => change(identity, params.token, body),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/rules/:token',
    area,
    summary: 'Change the fields that are sent',
    params: byToken,
    body: RuleChanges,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.token, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/rules/:token',
    area,
    summary: 'Delete a rule; it acts on no event from now on',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      if (!(await rules.remove(identity.account.id, params.token))) throw noRule()
      return undefined
    },
  })
}

const noRule = (): Fault => new Fault('not_found', 'There is no rule with this token.')
