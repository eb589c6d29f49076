/** From and to, in microseconds, both included. */
export type Range = [fromUs: number, toUs: number]

export type FinishedPage = {
  /** JSON text of a list. */
  events: Buffer
  next: string | null
  lql: string
  range: Range
  warnings: string[]
}
