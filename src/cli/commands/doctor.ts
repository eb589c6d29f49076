import { Fault } from '../../base/faults.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { createApi, recordOf } from '../api.ts'
import type { Call, Command } from '../command.ts'
import { placeOf } from '../connection.ts'
import { belongingCheck, catalogCheck } from '../doctor/catalog.ts'
import { type Check, type Finding, type Patient, problem } from '../doctor/check.ts'
import { clockCheck, folderCheck, nodeCheck, portCheck, roomCheck } from '../doctor/machine.ts'
import { backendsCheck, mailCheck, nodesCheck, serviceCheck, versionCheck } from '../doctor/outside.ts'
import { journalCheck, keyCheck, partsCheck } from '../doctor/stored.ts'
import { paintFor } from '../paint.ts'
import { writeJson, writeLine } from '../print.ts'

const CHECKS: Check[] = [
  ...[nodeCheck, versionCheck, clockCheck, folderCheck, roomCheck, portCheck, serviceCheck, nodesCheck],
  ...[keyCheck, catalogCheck, journalCheck, partsCheck, belongingCheck, backendsCheck, mailCheck],
]

const MARKS = { ok: ['green', '✓'], warning: ['yellow', '!'], problem: ['red', '✗'], skipped: ['gray', '-'] } as const

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look for what is wrong with a set-up, and say how to mend it',
  usage: '',
  about:
    'Run it where the service runs, with the same environment; the service may run or not. It changes nothing.\n' +
    'The exit code is 1 when there is a problem.',
  options: {
    data: { type: 'string', value: 'folder', summary: 'The data folder; default MILLRACE_DATA, then ./data' },
    deep: { type: 'boolean', summary: 'Read every byte of every part and compare it with its checksum' },
  },
  isRemote: true,
  arguments: { min: 0, max: 0 },
  examples: ['millrace doctor', 'millrace doctor --deep --json'],
  async run(call) {
    const found = await examine(call)
    if (call.is('json')) await writeJson(call.stdout, found)
    else await tell(call, found)
    return found.some(({ state }) => state === 'problem') ? 1 : 0
  },
}

type Found = Finding & { check: string }

async function examine(call: Call): Promise<Found[]> {
  let settings: Settings
  try {
    const dataDir = call.text('data')
    settings = readSettings(dataDir ? { ...call.env, MILLRACE_DATA: dataDir } : call.env)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [{ check: 'settings', ...problem(error.message, 'Correct it where the service gets its environment.') }]
  }
  const patient = await patientOf(call, settings)
  const found: Found[] = [{ check: 'settings', state: 'ok', text: 'They can be read' }]
  for (const check of CHECKS) {
    const findings = await check
      .run(patient)
      .catch((error: unknown) => [
        problem(error instanceof Error ? error.message : String(error), 'See docs/guide/operating.md.'),
      ])
    found.push(...findings.map((finding) => ({ check: check.name, ...finding })))
  }
  return found
}

async function patientOf(call: Call, settings: Settings): Promise<Patient> {
  const { env, signal } = call
  const asked = await placeOf({ env, url: call.text('url'), token: call.text('token') })
  const host = ['0.0.0.0', '::'].includes(settings.host) ? '127.0.0.1' : settings.host
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`
  const url = asked.from === 'the default' ? own : asked.url
  const api = createApi({ url, token: asked.token ?? settings.managementToken, from: asked.from, signal })
  const health = await api.fetch('/health', { signal: AbortSignal.timeout(5_000) }).then(
    async (answer) => recordOf(await answer.json().catch(() => null)),
    () => null,
  )
  const isOurs = health !== null && 'journal' in health
  return { env, settings, api, isDeep: call.is('deep'), service: isOurs ? { url, health } : null }
}

async function tell({ stdout, env }: Call, found: Found[]): Promise<void> {
  const paint = paintFor(stdout, env)
  const room = Math.max(...found.map(({ check }) => check.length))
  for (const { check, state, text, advice } of found) {
    const [style, mark] = MARKS[state]
    await writeLine(stdout, `${paint(style, mark)} ${check.padEnd(room)}  ${text}`)
    if (advice) await writeLine(stdout, `  ${' '.repeat(room)}  → ${advice}`)
  }
  const count = (wanted: Finding['state']): number => found.filter(({ state }) => state === wanted).length
  await writeLine(stdout, `\n${count('problem')} problems, ${count('warning')} warnings`)
}
