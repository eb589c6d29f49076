export type Tally = {
  passed: number
  failed: number
  skipped: string[]
  broken: string[]
  brokenFiles: string[]
  hasFinding: boolean
}

export function tally(reportPath: string, exitCode: number | null): Tally

export function afterSecondRun(first: Tally, second: Tally): Tally & { passedAlone: string[] }
