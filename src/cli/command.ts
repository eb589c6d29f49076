/** The shape of a command: one file each, all alike. Help, the reference and completion are made from it. */
import type { Readable, Writable } from 'node:stream'
import type { Api } from './api.ts'
import type { ExitCode } from './exit-code.ts'

export type Option = {
  type: 'string' | 'boolean'
  short?: string
  /** What stands for the value in help texts. */
  value?: string
  /** What it does, and its default. */
  summary: string
  /** Whether it may be given more than once. */
  isMany?: boolean
}

export type Options = Record<string, Option>

export type Command = {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** The arguments as help shows them, `<source> [lql]`. */
  usage: string
  /** More than the summary says. */
  about: string
  options: Options
  /** Whether it speaks to a service, and so takes `--url` and `--token`. */
  isRemote: boolean
  /** How many arguments it takes. */
  arguments: { min: number; max: number }
  examples: string[]
  run(call: Call): Promise<ExitCode>
}

/** One call of a command: what was given, and the world around it. */
export type Call = World & {
  args: string[]
  text(option: string): string | undefined
  /** All values of an option that may be given more than once. */
  texts(option: string): string[]
  is(option: string): boolean
  /** A whole number from `min` to `max`. */
  number(option: string, range: { fallback: number; min: number; max: number }): number
  /** The service that options, environment or the file of `millrace login` name. */
  api(): Promise<Api>
  /** For those that tell about the others. */
  allCommands(): Promise<Command[]>
}

/** What surrounds the program, so that a test can be another world. */
export type World = {
  env: NodeJS.ProcessEnv
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** Starts the service; only `serve` asks for it, as it takes much memory. */
  startApp: StartApp
}

export type RunningApp = {
  readonly address: string
  readonly firstStart: { managementToken: string; sourceName: string } | null
  stop(): Promise<void>
}

export type StartApp = (env: NodeJS.ProcessEnv) => Promise<RunningApp>

/** Options that every command takes. */
export const COMMON: Options = {
  json: { type: 'boolean', summary: 'Print JSON, for programs' },
  help: { type: 'boolean', short: 'h', summary: 'Show this text' },
}

/** Options of commands that speak to a service. */
export const REMOTE: Options = {
  url: {
    type: 'string',
    value: 'address',
    summary: 'The service; default MILLRACE_URL, then the one of `millrace login`',
  },
  token: {
    type: 'string',
    value: 'token',
    summary: 'An access token; default MILLRACE_TOKEN, then the one of `millrace login`',
  },
}

export const optionsOf = ({ options, isRemote }: Command): Options => ({
  ...options,
  ...(isRemote ? REMOTE : {}),
  ...COMMON,
})
