import type { Call, Command } from '../command.ts'
import { completionFor, NAMED, SHELLS } from '../completion.ts'
import type { ExitCode } from '../exit-code.ts'
import { wrongUse } from '../failure.ts'
import { write } from '../print.ts'

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands, options and names in your shell',
  usage: SHELLS.join(' | '),
  about:
    'Names of sources, endpoints and backends are asked of the service that MILLRACE_URL or `millrace login` names, by\n' +
    '`millrace completion names <kind>`; without one, or without a token, none are offered.',
  options: {},
  isRemote: false,
  arguments: { min: 1, max: 2 },
  examples: [
    'source <(millrace completion bash)',
    'millrace completion fish > ~/.config/fish/completions/millrace.fish',
  ],
  async run(call) {
    const { args, allCommands, stdout } = call
    const [given = '', kind] = args
    if (given === 'names') return printNames(call, kind)
    const shell = SHELLS.find((name) => name === given)
    if (!shell) throw wrongUse(`There is no completion for ${given}.`, `There is one for ${SHELLS.join(', ')}.`)
    await write(stdout, completionFor(shell, await allCommands()))
    return 0
  },
}

/** One a line; names that are more than a line are left out. */
async function printNames({ api, stdout }: Call, given = ''): Promise<ExitCode> {
  const kind = NAMED.find((name) => name === given)
  if (!kind) throw wrongUse(`There are no names of ${given || 'nothing'}.`, `There are those of ${NAMED.join(', ')}.`)
  const records = await (await api()).list(`/api/${kind}`)
  const names = records.map(({ name }) => String(name)).filter((name) => !/[\r\n]/.test(name))
  await write(stdout, names.map((name) => `${name}\n`).join(''))
  return 0
}
