import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'

type Parts = { args: string[]; filter?: string | undefined; orderBy?: string | undefined }

/** One engine aggregate with the call's DISTINCT, order and window. */
export function written(name: string, call: Call, emitter: Emitter, { args, filter, orderBy }: Parts): string {
  const distinct = call.distinct ? 'DISTINCT ' : ''
  const order = orderBy ?? emitter.orders(call.orderBy)
  const ordered = order === '' ? '' : ` ORDER BY ${order}`
  const filtered = filter ? ` FILTER (WHERE ${filter})` : ''
  return `${name}(${distinct}${args.join(', ')}${ordered})${filtered}${emitter.over(call)}`
}
