/** The time of day, as a part that tests can set. */
export type Clock = { nowMs(): number }

export const systemClock: Clock = { nowMs: () => Date.now() }
