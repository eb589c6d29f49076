/**
 * `npm run soak`: the storm of the crash test for as long as you like, with a line for every round. Each round has a
 * source of its own, which is audited, loaded, audited again and deleted, so that the disk does not fill up.
 * Options: `--minutes N` (default 60), `--seed N` to see a round again.
 */
import { parseArgs } from 'node:util'
import { createRandom } from '../bench/data/random.ts'
import { residentBytes } from '../bench/machine.ts'
import { health, json, untilLoaded } from './support/dialogue.ts'
import { type Service, startService } from './support/service.ts'
import { acknowledgedIn, audit, storm } from './support/storm.ts'

const KILLS_PER_ROUND = 50

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 60)
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000)
const endsAt = performance.now() + minutes * 60_000
const isOver = (): boolean => performance.now() > endsAt

async function playRound(service: Service, round: number): Promise<string[]> {
  const seed = firstSeed + round
  const source = `soak-${round}`
  let kills = 0
  const onKill = (): void => {
    kills += 1
  }
  const ledger = await storm(service, { source, random: createRandom(seed), kills: KILLS_PER_ROUND, isOver, onKill })
  const wrong = await audit(service, ledger)
  await untilLoaded(service, 300_000)
  wrong.push(...(await audit(service, ledger)))
  const { warehouse } = await health(service)
  wrong.push(...warehouse.damaged.map((part: object) => `damaged: ${JSON.stringify(part)}`))
  await removeSource(service, source)
  const megabytes = Math.round(residentBytes(service.pid) / 1e6)
  const facts = [`seed ${seed}`, `${kills} kills`, `${acknowledgedIn(ledger)} events acknowledged`, `${megabytes} MB`]
  console.log(`round ${round + 1}: ${wrong.length === 0 ? 'all there, each once' : 'WRONG'} (${facts.join(', ')})`)
  return wrong
}

async function removeSource(service: Service, name: string): Promise<void> {
  const sources: { name: string; token: string }[] = await json(await service.fetch('/api/sources'))
  const found = sources.find((source) => source.name === name)
  if (found) await service.fetch(`/api/sources/${found.token}`, { method: 'DELETE' })
}

async function soak(): Promise<number> {
  const service = await startService()
  console.log(`soaking for ${minutes} minutes, first seed ${firstSeed}`)
  try {
    for (let round = 0; round === 0 || !isOver(); round += 1) {
      const wrong = await playRound(service, round)
      for (const line of wrong.slice(0, 20)) console.error(line)
      if (wrong.length > 0) return 1
    }
    return 0
  } finally {
    await service.remove()
  }
}

process.exitCode = await soak()
