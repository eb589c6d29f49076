/** Tries to get in, counted by the address they come from and by the e-mail they are for. */
import type { Clock } from '../../base/clock.ts'
import { createThrottle } from './throttle.ts'

export type Attempts = {
  /** Counts a try, or throws `TooOften`. Call what it returns when the try was honest, so that it does not count. */
  count(address: string, email?: string): () => void
}

const WINDOW_MS = 15 * 60_000
const PER_EMAIL = 10
/** Many people may share an address. */
const PER_ADDRESS = 50

export function createAttempts({ clock }: { clock: Clock }): Attempts {
  const perEmail = createThrottle({ clock, tries: PER_EMAIL, perMs: WINDOW_MS })
  const perAddress = createThrottle({ clock, tries: PER_ADDRESS, perMs: WINDOW_MS })
  return {
    count(address, email) {
      perAddress.take(address)
      if (email !== undefined) perEmail.take(email)
      return () => {
        perAddress.giveBack(address)
        if (email !== undefined) perEmail.giveBack(email)
      }
    },
  }
}
