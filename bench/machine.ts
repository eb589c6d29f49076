/**
 * Reads from /proc what a process and all its children use (Linux only), and names the machine the figures belong to.
 * CPU of children that have ended and were waited for is in their parent's account, so nothing is lost with them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { arch, cpus, release, totalmem } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** The kernel counts CPU time for /proc in hundredths of a second on every platform it offers today. */
const TICKS_PER_SECOND = 100
const BYTES_PER_KIB = 1024

type Reading = { pid: number; parent: number; cpuSeconds: number }

export function processTree(pid: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const tree = all.some((reading) => reading.pid === pid) ? [pid] : []
  for (const member of tree) for (const reading of all) if (reading.parent === member) tree.push(reading.pid)
  return tree
}

export function cpuSeconds(pid: number): number {
  return sum(processTree(pid).map((member) => readStat(member)?.cpuSeconds ?? 0))
}

/** Resident memory of the tree. Pages that processes share (the program text) count once for each of them. */
export function residentBytes(pid: number): number {
  return sum(processTree(pid).map((member) => kibOf(`/proc/${member}/status`, 'VmRSS') * BYTES_PER_KIB))
}

/** The same with shared pages counted once. Dear to read, so not for sampling. */
export function proportionalBytes(pid: number): number {
  return sum(processTree(pid).map((member) => kibOf(`/proc/${member}/smaps_rollup`, 'Pss') * BYTES_PER_KIB))
}

/** Waits until the tree has nothing left to do: two seconds in which it used almost no CPU. */
export async function untilQuiet(pid: number, withinMs = 300_000): Promise<void> {
  const deadline = performance.now() + withinMs
  let before = cpuSeconds(pid)
  for (let quietFor = 0; quietFor < 4; ) {
    if (performance.now() > deadline) throw new Error('the service did not come to rest')
    await wait(500)
    const now = cpuSeconds(pid)
    quietFor = now - before <= 0.03 ? quietFor + 1 : 0
    before = now
  }
}

/** Watches the tree's memory until told to stop; answers the most it saw. */
export function watchMemory(pid: number, everyMs = 200): () => number {
  let most = residentBytes(pid)
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, everyMs)
  return () => {
    clearInterval(timer)
    return Math.max(most, residentBytes(pid))
  }
}

export function describeMachine() {
  const processor = cpus()[0]?.model.trim() || 'unknown processor'
  return {
    processor,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `linux ${release()}`,
    architecture: arch(),
    node: process.version,
  }
}

/** For file names. */
export function machineName(): string {
  const { architecture, cores, processor } = describeMachine()
  const slug = processor.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') // biome-ignore format: one thought
  return `${architecture}-${cores}x-${slug}`.slice(0, 48).replace(/-$/, '')
}

function readStat(pid: number): Reading | null {
  const text = readProc(`/proc/${pid}/stat`)
  if (text === null) return null
  // The command's name stands in parentheses and may hold anything; the numbers start after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = sum(fields.slice(11, 15).map(Number))
  return { pid, parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND }
}

const kibOf = (path: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readProc(path) ?? '')?.[1] ?? 0)

/** Null when the process has ended in the meantime. */
function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)
