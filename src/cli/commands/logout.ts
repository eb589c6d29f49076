import type { Command } from '../command.ts'
import { configFile, removeLogin } from '../connection.ts'
import { writeJson, writeLine } from '../print.ts'

export const logout: Command = {
  name: 'logout',
  summary: 'Forget the service and token of `millrace login`',
  usage: '',
  about: '',
  options: {},
  isRemote: false,
  arguments: { min: 0, max: 0 },
  examples: [],
  async run({ env, is, stdout }) {
    const removed = await removeLogin(env)
    if (is('json')) await writeJson(stdout, { removed })
    else await writeLine(stdout, removed ? `${configFile(env)} is removed.` : 'There was nothing to forget.')
    return 0
  },
}
