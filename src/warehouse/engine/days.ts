/** UTC days: parts never cross one. */
const DAY_US = 86_400_000_000

export const dayNumber = (us: number): number => Math.floor(us / DAY_US)

export const dayName = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

export const startOfDayUs = (day: number): number => day * DAY_US
