import { VERSION } from '../../http/openapi.ts'
import type { Command } from '../command.ts'
import { writeJson, writeLine } from '../print.ts'

export const version: Command = {
  name: 'version',
  summary: 'Print the version',
  usage: '',
  about: '',
  options: {},
  isRemote: false,
  arguments: { min: 0, max: 0 },
  examples: [],
  async run({ is, stdout }) {
    if (is('json')) await writeJson(stdout, { millrace: VERSION, node: process.versions.node })
    else await writeLine(stdout, `millrace ${VERSION} (Node ${process.versions.node})`)
    return 0
  },
}
