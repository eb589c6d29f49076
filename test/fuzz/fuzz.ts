/**
 * Throws wrong inputs at everything that reads bytes of strangers. The same seed makes the same inputs.
 *
 * Guarantee under test: an input is kept, or refused by a fault that tells the sender what is wrong; nothing else is
 * thrown, and no input takes long.
 */
import { createRandom } from '../../bench/data/random.ts'
import { Fault } from '../../src/base/faults.ts'
import { mutated } from './mutate.ts'
import { createTargets, type Target } from './targets.ts'

export type Finding = { target: string; number: number; problem: string; input: Buffer }

type Plan = {
  seed: number
  /** Whether to go on, asked before each input. */
  goesOn(number: number): boolean
  /** Before an input is read, so that one that never ends is known. */
  onInput?: (target: string, input: Buffer) => void
}

export const REFUSALS: readonly string[] = ['bad_request', 'too_large', 'unsupported_type']

/** Far beyond what an input of a few kilobytes may take, also on a busy machine. */
const MAX_MS = 10_000

const MAX_FINDINGS = 20

export async function fuzz({
  seed,
  goesOn,
  onInput = () => {},
}: Plan): Promise<{ inputs: number; findings: Finding[] }> {
  const targets = createTargets()
  const findings: Finding[] = []
  let number = 0
  for (; goesOn(number) && findings.length < MAX_FINDINGS; number++) {
    // Each input has a seed of its own, so that one can be made again without those before it.
    const random = createRandom(seed + number)
    const target = targets[number % targets.length]!
    const input = mutated(target.seeds, random, target.codec)
    onInput(target.name, input)
    const problem = await problemOf(target, input, random)
    if (problem !== null) findings.push({ target: target.name, number, problem, input })
  }
  return { inputs: number, findings }
}

async function problemOf(target: Target, input: Buffer, random: Parameters<Target['read']>[1]): Promise<string | null> {
  const startedAt = performance.now()
  try {
    await target.read(input, random)
  } catch (error) {
    if (!(error instanceof Fault)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!REFUSALS.includes(error.code)) return `refused as ${error.code}: ${error.message}`
  }
  const ms = performance.now() - startedAt
  return ms > MAX_MS ? `took ${Math.round(ms)} ms` : null
}
