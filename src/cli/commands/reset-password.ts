import { randomBytes } from 'node:crypto'
import { resetPassword as reset } from '../../access/people/resets.ts'
import { readSettings } from '../../settings.ts'
import { askSecret } from '../ask-secret.ts'
import type { Command } from '../command.ts'
import { Failure } from '../failure.ts'
import { openLocalCatalog } from '../local-catalog.ts'
import { writeJson, writeLine } from '../print.ts'

const PASSWORD_MIN = 10

export const resetPassword: Command = {
  name: 'reset-password',
  summary: 'Set a new password for somebody, on the machine of the service',
  usage: '<email>',
  about:
    'It works on the catalog itself (MILLRACE_DATA or DATABASE_URL), whether the service runs or not. The password is asked\n' +
    'for, or read from standard input. All sessions of that person end.',
  options: { generate: { type: 'boolean', summary: 'Make up a password and print it' } },
  isRemote: false,
  arguments: { min: 1, max: 1 },
  examples: ['millrace reset-password ada@example.com', 'millrace reset-password ada@example.com --generate'],
  async run(call) {
    const [email = ''] = call.args
    const isMadeUp = call.is('generate')
    const password = isMadeUp ? randomBytes(15).toString('base64url') : await askSecret(call, 'New password')
    if (password.length < PASSWORD_MIN)
      throw new Failure(2, `The password must have at least ${PASSWORD_MIN} characters.`)
    const catalog = await openLocalCatalog(readSettings(call.env))
    try {
      if (!(await reset(catalog, email, password))) throw new Failure(1, `Nobody has the e-mail ${email}.`)
    } finally {
      await catalog.stop()
    }
    if (call.is('json')) await writeJson(call.stdout, { email, ...(isMadeUp ? { password } : {}) })
    else await writeLine(call.stdout, isMadeUp ? password : `${email} has a new password.`)
    return 0
  },
}
