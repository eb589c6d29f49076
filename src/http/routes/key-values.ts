import { z } from 'zod'
import type { Catalog } from '../../catalog/catalog.ts'
import { KEY_VALUES_PAGE_MAX } from '../../catalog/key-values.ts'
import { KeyValue, NewKeyValue } from '../../model/key-value.ts'
import { parseAccessor } from '../../model/rules/accessor.ts'
import { plainText } from '../../model/text.ts'
import { nothing, type Routes } from '../route.ts'

const Accessor = z.string().transform((text, context) => {
  const accessor = parseAccessor(text)
  if (!('problem' in accessor)) return accessor
  context.addIssue({ code: 'custom', message: accessor.problem })
  return z.NEVER
})

/** By keys, or by the values found at an accessor; keys win when both are given, and neither removes nothing. */
const Removal = z
  .strictObject({ keys: z.array(z.string()), values: z.array(z.unknown()), accessor: Accessor })
  .partial()

export function addKeyValueRoutes(routes: Routes, { catalog: { keyValues } }: { catalog: Catalog }): void {
  const area = 'key-values'

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/key-values',
    area,
    summary: 'Entries in the order of their keys; the next page starts after the last key',
    query: z.object({
      key: plainText(1024).optional(),
      /** Part of a key, in any case. */
      search: plainText(1024).optional(),
      after: plainText(1024).optional(),
      limit: z.coerce.number().int().min(1).max(KEY_VALUES_PAGE_MAX).optional(),
    }),
    status: 200,
    answer: z.array(KeyValue),
    run: ({ identity, query }) => keyValues.list(identity.account.id, query),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/key-values',
    area,
    summary: 'Write one entry or many; an existing key gets the new value',
    body: z.preprocess((body) => (Array.isArray(body) ? body : [body]), z.array(NewKeyValue)),
    status: 201,
    answer: z.object({ inserted_count: z.int() }),
    run: async ({ identity, body }) => ({ inserted_count: await keyValues.put(identity.account, body) }),
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/key-values',
    area,
    summary: 'Remove entries by key, or by the value found at an accessor',
    body: Removal,
    status: 200,
    answer: z.object({ deleted_count: z.int() }),
    async run({ identity, body: { keys, values, accessor } }) {
      const accountId = identity.account.id
      if (keys) return { deleted_count: await keyValues.removeKeys(accountId, keys) }
      if (!values || !accessor) return { deleted_count: 0 }
      return { deleted_count: await keyValues.removeWhere(accountId, accessor, values.map(String)) }
    },
  })
}
