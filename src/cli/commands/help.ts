import type { Command } from '../command.ts'
import { wrongUse } from '../failure.ts'
import { helpOf, overview } from '../help.ts'
import { nearest } from '../nearest.ts'
import { writeJson, writeLine } from '../print.ts'

export const help: Command = {
  name: 'help',
  summary: 'Tell about a command',
  usage: '[command]',
  about: '',
  options: {},
  isRemote: false,
  arguments: { min: 0, max: 1 },
  examples: ['millrace help send'],
  async run({ args: [name], is, stdout, allCommands }) {
    const commands = await allCommands()
    if (name === undefined) {
      if (is('json'))
        await writeJson(
          stdout,
          commands.map(({ name, summary, usage }) => ({ name, summary, usage })),
        )
      else await writeLine(stdout, overview(commands))
      return 0
    }
    const found = commands.find((command) => command.name === name)
    const meant = nearest(
      name,
      commands.map((command) => command.name),
    )
    if (!found) throw wrongUse(`Unknown command: ${name}`, meant && `Did you mean \`millrace help ${meant}\`?`)
    await writeLine(stdout, helpOf(found))
    return 0
  },
}
