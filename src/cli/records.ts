/** Commands about records of one kind (sources, endpoints, backends): list, show, create, update and delete, all alike. */
import { type Api, type Json, recordOf } from './api.ts'
import type { Call, Command, Options } from './command.ts'
import type { ExitCode } from './exit-code.ts'
import { wrongUse } from './failure.ts'
import { givenText } from './input.ts'
import { nearest } from './nearest.ts'
import { readPairs } from './pairs.ts'
import { record, table, writeJson, writeLine } from './print.ts'

type Kind = 'sources' | 'endpoints' | 'backends'

/** What can be done with a record beside the usual. */
export type Deed = (call: Call, api: Api, name: string) => Promise<ExitCode>

type Parts = {
  kind: Kind
  summary: string
  about: string
  /** What the list shows of a record. */
  line(record: Json): Json
  options?: Options
  /** Settings that have an option of their own, for new records. */
  settings?(call: Call): Promise<Json>
  deeds?: Record<string, Deed>
  examples: string[]
}

const RECORD_OPTIONS: Options = {
  set: {
    type: 'string',
    short: 's',
    value: 'name=value',
    summary: 'A setting, for create and update; JSON or text, may be repeated',
    isMany: true,
  },
  yes: { type: 'boolean', short: 'y', summary: 'Delete without being asked again' },
}

export function recordCommand({
  kind,
  line,
  options = {},
  settings = async () => ({}),
  deeds = {},
  ...rest
}: Parts): Command {
  const actions = ['list', 'show', 'create', 'update', 'delete', ...Object.keys(deeds)]

  async function run(call: Call): Promise<ExitCode> {
    const [action = 'list', name] = call.args
    if (!actions.includes(action)) {
      const meant = nearest(action, actions)
      throw wrongUse(
        `${kind} cannot ${JSON.stringify(action)}.`,
        meant ? `Did you mean ${meant}?` : `It can ${actions.join(', ')}.`,
      )
    }
    const api = await call.api()
    if (action === 'list') return list(call, api)
    if (name === undefined) throw wrongUse(`Name the record: millrace ${kind} ${action} <name>`)
    const deed = deeds[action]
    if (deed) return deed(call, api, name)
    if (action === 'create') {
      const wanted = { name, ...(await settings(call)), ...(await given(call)) }
      return show(call, recordOf(await api.json('POST', `/api/${kind}`, wanted)))
    }
    const found = await api.find(kind, name)
    const path = `/api/${kind}/${found.token}`
    if (action === 'show') return show(call, found)
    if (action === 'update') {
      const changes = { ...(await settings(call)), ...(await given(call)) }
      if (Object.keys(changes).length === 0) throw wrongUse('Nothing to change: give --set name=value.')
      return show(call, recordOf(await api.json('PUT', path, changes)))
    }
    if (!call.is('yes')) throw wrongUse(`This deletes ${name} for good.`, 'Say --yes if you mean it.')
    await api.json('DELETE', path)
    if (call.is('json')) await writeJson(call.stdout, { deleted: found.token })
    else await writeLine(call.stdout, `${name} is deleted.`)
    return 0
  }

  async function list(call: Call, api: Api): Promise<ExitCode> {
    const records = await api.list(`/api/${kind}`)
    if (call.is('json')) await writeJson(call.stdout, records)
    else if (records.length === 0) await writeLine(call.stderr, `There are no ${kind} yet.`)
    else await writeLine(call.stdout, table(records.map(line)))
    return 0
  }

  return {
    ...rest,
    name: kind,
    usage: `[${actions.join(' | ')}] [name]`,
    options: { ...RECORD_OPTIONS, ...options },
    isRemote: true,
    arguments: { min: 0, max: 2 },
    run,
  }
}

/** Values may be `@file`. */
async function given(call: Call): Promise<Json> {
  const pairs = readPairs(call.texts('set'))
  const texts = Object.entries(pairs).map(async ([name, value]) => [
    name,
    typeof value === 'string' && value.startsWith('@') ? await givenText(value, call) : value,
  ])
  return Object.fromEntries(await Promise.all(texts))
}

export async function show(call: Call, found: Json): Promise<ExitCode> {
  if (call.is('json')) await writeJson(call.stdout, found)
  else await writeLine(call.stdout, record(found))
  return 0
}
