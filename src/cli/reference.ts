/** docs/reference/cli.md, made from the commands. `reference.test.ts` keeps the two alike. */
import { COMMON, type Command, REMOTE } from './command.ts'
import { optionName, usageOf } from './help.ts'

const HEAD = `# The \`millrace\` command

This page is made from the commands themselves; \`millrace help <command>\` shows the same. The
[guide](../guide/command-line.md) shows how they are used together.

Results go to standard output, everything else to standard error. Colours and progress bars appear on a terminal only;
\`NO_COLOR\` turns colours off, \`FORCE_COLOR\` on. Text that begins with a dash goes after \`--\`.

## Exit codes

| Code | Meaning |
|---|---|
| 0 | done |
| 1 | failed: the service refused it, events were refused, or \`doctor\` found a problem |
| 2 | wrong use: an unknown command, option or value |
| 3 | the service cannot be reached |
| 4 | not allowed: no token, an unknown one, or one without the scope |
| 130 | interrupted by Ctrl-C |

## Options of all commands
`

const AFTER_COMMON = `
Commands that speak to a service also take:
`

export function reference(commands: Command[]): string {
  return [HEAD, optionTable(COMMON), AFTER_COMMON, optionTable(REMOTE), ...commands.map(section)].join('\n')
}

function section(command: Command): string {
  const { name, summary, about, options, examples, isRemote } = command
  return [
    `\n## ${name}\n`,
    `\`${usageOf(command)}\`\n`,
    `${summary}.${about && ` ${about.replaceAll('\n', ' ')}`}${isRemote ? ' Speaks to a service.' : ''}`,
    ...(Object.keys(options).length > 0 ? ['', optionTable(options)] : []),
    ...(examples.length > 0 ? ['', '```', ...examples, '```'] : []),
  ].join('\n')
}

function optionTable(options: Command['options']): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short ? `\`-${option.short}\`, ` : ''
    return `| ${short}\`${optionName(name, option).replaceAll('|', '\\|')}\` | ${option.summary.replaceAll('|', '\\|').replaceAll('<', '\\<')} |`
  })
  return ['| Option | |', '|---|---|', ...rows].join('\n')
}
