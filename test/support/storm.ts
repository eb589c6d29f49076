/**
 * Senders at full load while either process is killed at random moments. Every batch a sender tried is in the ledger
 * with what the service answered, so that an audit can later hold the service to it: what was acknowledged is there
 * once, what was refused is not there, and what got no answer is there once or not at all, but never in part.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../bench/data/random.ts'
import { ALWAYS, ask, enginePid, newSource, post, rows } from './dialogue.ts'
import { type Service, until } from './service.ts'

export type Ledger = { source: string; batchEvents: number; answers: ('acknowledged' | 'refused' | 'unheard')[] }

export type Weather = {
  source: string
  random: Random
  senders?: number
  batchEvents?: number
  kills: number
  /** The storm ends with this kill when the time is up before the number. */
  isOver?: () => boolean
  onKill?(kill: number, victim: Victim, ledger: Ledger): void
}

export type Victim = 'front' | 'engine' | 'both' | 'starting engine'

/** Fronts and engines alike; the last one hits an engine that is just being started by a new front. */
const VICTIMS: readonly Victim[] = ['front', 'front', 'engine', 'engine', 'both', 'starting engine']

/** Some kills follow at once, others leave time for a part to be written. */
const CALM_MS: readonly number[] = [0, 50, 150, 400, 900, 1500, 4000]

/** A query answers at most this many rows. */
const PAGE_BATCHES = 1000

export async function storm(service: Service, weather: Weather): Promise<Ledger> {
  const { source, random, senders = 4, batchEvents = 100, kills, isOver = () => false } = weather
  await newSource(service, source)
  const ledger: Ledger = { source, batchEvents, answers: [] }
  let isRaging = true
  const loads = Array.from({ length: senders }, async () => {
    while (isRaging) await sendOne(service, ledger)
  })
  try {
    for (let kill = 1; kill <= kills && !isOver(); kill += 1) {
      await wait(random.pick(CALM_MS))
      const victim = random.pick(VICTIMS)
      await strike(service, victim, random)
      weather.onKill?.(kill, victim, ledger)
    }
  } finally {
    isRaging = false
    await Promise.all(loads)
  }
  // A query that meets an engine in the moment of its death is refused, and rightly so: the audit comes after that.
  await until(async () => (await ask(service, `select 1 as one from \`${source}\` where ${ALWAYS} limit 1`)).ok)
  return ledger
}

async function sendOne(service: Service, ledger: Ledger): Promise<void> {
  const batch = ledger.answers.push('unheard') - 1
  const events = Array.from({ length: ledger.batchEvents }, (_, seq) => ({
    id: idOf(batch, seq),
    batch,
    seq,
    message: `event ${seq} of batch ${batch}`,
    metadata: { level: seq % 7 === 0 ? 'error' : 'info', host: `web-${seq % 5}`, ms: (batch * 31 + seq) % 997 },
  }))
  try {
    const answer = await post(service, `/api/logs?source_name=${ledger.source}`, { batch: events })
    await answer.text()
    ledger.answers[batch] = answer.status === 200 ? 'acknowledged' : 'refused'
    if (answer.status !== 200) await wait(50)
  } catch {
    // The connection broke, so nobody knows; a sender would try again when somebody listens.
    await wait(20)
  }
}

async function strike(service: Service, victim: Victim, random: Random): Promise<void> {
  if (victim === 'engine' || victim === 'both') kill(enginePid(service))
  if (victim === 'engine') return
  const restarted = service.restart('SIGKILL')
  if (victim === 'starting engine') {
    const dead = service.pid
    await until(() => service.pid !== dead && enginePid(service) !== undefined)
    await wait(random.below(400))
    kill(enginePid(service))
  }
  await restarted
}

function kill(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL')
  } catch {
    // It had ended already.
  }
}

const idOf = (batch: number, seq: number): string => `b${batch}-${seq}`

/** What does not hold, in words; empty when all is well. */
export async function audit(service: Service, { source, batchEvents, answers }: Ledger): Promise<string[]> {
  const wrong: string[] = []
  for (let from = 0; from < answers.length; from += PAGE_BATCHES) {
    const page = await rows(
      service,
      `select batch, count(*) as n, count(distinct id) as ids,
         countif(id = concat('b', cast(batch as string), '-', cast(seq as string))) as own
       from \`${source}\` where ${ALWAYS} and batch >= ${from} and batch < ${from + PAGE_BATCHES} group by batch`,
    )
    const found = new Map(page.map((row) => [Number(row.batch), row]))
    for (let batch = from; batch < Math.min(from + PAGE_BATCHES, answers.length); batch += 1) {
      const { n, ids, own } = found.get(batch) ?? { n: 0, ids: 0, own: 0 }
      const isWhole = n === batchEvents && ids === n && own === n
      const answer = answers[batch]
      const holds = answer === 'acknowledged' ? isWhole : n === 0 || (answer === 'unheard' && isWhole)
      if (!holds) wrong.push(`batch ${batch} was ${answer}: ${n} events, ${ids} ids, ${own} as sent`)
    }
  }
  return wrong
}

export const acknowledgedIn = ({ answers, batchEvents }: Ledger): number =>
  answers.filter((answer) => answer === 'acknowledged').length * batchEvents
