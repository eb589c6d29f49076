/** Waiting that can be cut short. A call to `end` while nobody waits ends the next wait at once. */
export type Pause = { for(ms: number): Promise<void>; until(): Promise<void>; end(): void }

export function createPause(): Pause {
  let wake: (() => void) | null = null
  let isEnded = false

  function until(ms: number | null): Promise<void> {
    if (isEnded) {
      isEnded = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const timer = ms === null ? null : setTimeout(finish, ms)
      timer?.unref()
      function finish(): void {
        if (timer) clearTimeout(timer)
        wake = null
        resolve()
      }
      wake = finish
    })
  }

  return {
    for: (ms) => until(ms),
    until: () => until(null),
    end() {
      if (wake) wake()
      else isEnded = true
    },
  }
}
