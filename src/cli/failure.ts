import type { ExitCode } from './exit-code.ts'

/** What ends a command: a sentence for the user, perhaps what to do about it, and the exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  readonly advice: string | null

  constructor(exitCode: ExitCode, message: string, advice: string | null = null) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.advice = advice
  }
}

export const wrongUse = (message: string, advice: string | null = null): Failure => new Failure(2, message, advice)
