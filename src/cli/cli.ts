/**
 * The `millrace` command: finds the command that was asked for, reads its options, runs it.
 *
 * Promises: results go to standard output and everything else to standard error; what goes wrong is a sentence, never a
 * stack trace, and an exit code that docs/reference/cli.md lists.
 * Refuses: commands and options it does not know, with the one that was probably meant.
 */
import { parseArgs } from 'node:util'
import { Fault } from '../base/faults.ts'
import { type Call, type Command, optionsOf, type World } from './command.ts'
import { allCommands, COMMANDS } from './commands/index.ts'
import { connect } from './connection.ts'
import type { ExitCode } from './exit-code.ts'
import { Failure, wrongUse } from './failure.ts'
import { nearest } from './nearest.ts'
import { paintFor } from './paint.ts'
import { writeJson, writeLine } from './print.ts'

export async function runCli(argv: string[], world: World): Promise<ExitCode> {
  try {
    return await run(argv, world)
  } catch (error) {
    return fail(error, world, argv.includes('--json'))
  }
}

async function run(argv: string[], world: World): Promise<ExitCode> {
  const [word = 'help', ...rest] = argv
  const name = ALIASES[word] ?? word
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) throw unknownCommand(word)
  const command = await load()
  const { values, positionals } = read(command, rest)
  if (values.help === true) {
    const { helpOf } = await import('./help.ts')
    await writeLine(world.stdout, helpOf(command))
    return 0
  }
  const { min, max } = command.arguments
  if (positionals.length < min || positionals.length > max) {
    const { usageOf } = await import('./help.ts')
    throw wrongUse(
      positionals.length < min ? `${name} needs more arguments.` : `${name} takes fewer arguments.`,
      `Usage: ${usageOf(command)}`,
    )
  }
  return command.run(callOf(values, positionals, world))
}

const ALIASES: Record<string, string> = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' }

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

function read(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const known = optionsOf(command)
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short, isMany = false }]) => [
      name,
      { type, multiple: isMany, ...(short ? { short } : {}) },
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw wrongOption(error, command, Object.keys(known))
  }
}

function wrongOption(error: unknown, { name }: Command, known: string[]): unknown {
  if (!(error instanceof TypeError)) return error
  const option = /option '(?:-\w, )?(?:--?)([^' ]+)/i.exec(error.message)?.[1]
  if ('code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && option !== undefined) {
    const meant = nearest(option, known)
    return wrongUse(
      `${name} has no option ${option.length > 1 ? '--' : '-'}${option}.`,
      `${meant ? `Did you mean --${meant}? ` : ''}\`millrace help ${name}\` lists all of them. ` +
        'Text that begins with a dash goes after --.',
    )
  }
  return wrongUse(`${option ? `--${option}` : 'An option'} of ${name} has no value, or one it does not take.`)
}

function unknownCommand(word: string): Failure {
  if (word.startsWith('-'))
    return wrongUse(`${word} stands before a command.`, 'Options go after it: millrace <command> --url …')
  const meant = nearest(word, Object.keys(COMMANDS))
  return wrongUse(
    `Unknown command: ${word}`,
    meant ? `Did you mean \`millrace ${meant}\`?` : '`millrace help` lists all commands.',
  )
}

function callOf(values: Values, args: string[], world: World): Call {
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    ...world,
    args,
    text,
    texts: (name) => [values[name]].flat().filter((value) => typeof value === 'string'),
    is: (name) => values[name] === true,
    number(name, { fallback, min, max }) {
      const given = text(name)
      if (given === undefined) return fallback
      const number = Number(given)
      if (!Number.isInteger(number) || number < min || number > max)
        throw wrongUse(`--${name} must be a whole number from ${min} to ${max}, but is ${JSON.stringify(given)}.`)
      return number
    },
    api: () => connect({ env: world.env, signal: world.signal, url: text('url'), token: text('token') }),
    allCommands,
  }
}

async function fail(error: unknown, { stderr, stdout, env, signal }: World, asJson: boolean): Promise<ExitCode> {
  const failure = failureOf(error, signal)
  if (asJson) await writeJson(stdout, { error: failure.message, ...(failure.advice ? { advice: failure.advice } : {}) })
  else {
    const paint = paintFor(stderr, env)
    await writeLine(stderr, paint('red', failure.message))
    if (failure.advice) await writeLine(stderr, failure.advice)
  }
  return failure.exitCode
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (error instanceof Failure) return error
  if (signal.aborted) return new Failure(130, 'Interrupted.')
  if (error instanceof Fault) return new Failure(1, error.message)
  return new Failure(1, error instanceof Error ? error.message : String(error))
}
