import type { Command } from '../command.ts'
import { completionFor, SHELLS } from '../completion.ts'
import { wrongUse } from '../failure.ts'
import { write } from '../print.ts'

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands and options in your shell',
  usage: SHELLS.join(' | '),
  about: '',
  options: {},
  isRemote: false,
  arguments: { min: 1, max: 1 },
  examples: [
    'source <(millrace completion bash)',
    'millrace completion fish > ~/.config/fish/completions/millrace.fish',
  ],
  async run({ args: [given = ''], allCommands, stdout }) {
    const shell = SHELLS.find((name) => name === given)
    if (!shell) throw wrongUse(`There is no completion for ${given}.`, `There is one for ${SHELLS.join(', ')}.`)
    await write(stdout, completionFor(shell, await allCommands()))
    return 0
  },
}
