/** Lets so many pieces of work run at a time; the others wait for their turn, in order. */
export function createSlots(most: number): { run<Result>(work: () => Promise<Result>): Promise<Result> } {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
