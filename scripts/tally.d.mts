export type Tally = { passed: number; failed: number; skipped: string[]; broken: string[] }

export function tally(reportPath: string, exitCode: number | null): Tally
