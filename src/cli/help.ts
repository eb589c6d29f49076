/** Help texts, made from the commands themselves. */
import { type Command, type Options, optionsOf } from './command.ts'

export function overview(commands: Command[]): string {
  const room = Math.max(...commands.map(({ name }) => name.length))
  return `Millrace takes log events from anywhere, keeps them, and gives them back.

Usage: millrace <command> [options]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(room)}  ${summary}`).join('\n')}

\`millrace help <command>\` tells more about one.`
}

export function helpOf(command: Command): string {
  const { about, examples } = command
  return [
    `${command.summary}.`,
    ...(about ? [about] : []),
    `Usage: ${usageOf(command)}`,
    `Options:\n${optionLines(optionsOf(command)).join('\n')}`,
    ...(examples.length > 0 ? [`Examples:\n${examples.map((line) => `  ${line}`).join('\n')}`] : []),
  ].join('\n\n')
}

export const usageOf = ({ name, usage }: Command): string => `millrace ${name}${usage && ` ${usage}`} [options]`

export const optionName = (name: string, { value, type }: Options[string]): string =>
  `--${name}${type === 'string' ? ` <${value ?? 'text'}>` : ''}`

function optionLines(options: Options): string[] {
  const names = Object.entries(options).map(
    ([name, option]) => `${option.short ? `-${option.short}, ` : '    '}${optionName(name, option)}`,
  )
  const room = Math.max(...names.map((name) => name.length))
  return Object.values(options).map(({ summary }, i) => `  ${names[i]!.padEnd(room)}  ${summary}`)
}
