/** Lets only so many pieces of work run at a time; the others wait their turn. */
export function createSlots(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  return async function slot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free--
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** Takes what is left over; nobody waits for it. */
export type Spares = { take(): boolean; give(): void }

export function createSpares(count: number): Spares {
  let free = count
  return {
    take() {
      if (free === 0) return false
      free--
      return true
    },
    give() {
      free++
    },
  }
}
