import { createApi, recordOf } from '../api.ts'
import { askSecret } from '../ask-secret.ts'
import type { Command } from '../command.ts'
import { placeOf, writeLogin } from '../connection.ts'
import { writeJson, writeLine } from '../print.ts'

export const login: Command = {
  name: 'login',
  summary: 'Remember a service and a token for the other commands',
  usage: '',
  about:
    'The token is asked for, or read from standard input, unless --token gives it. It is tried first, and then written to\n' +
    '$XDG_CONFIG_HOME/millrace/config.json (~/.config/…), which only you may read. MILLRACE_CONFIG names another file.',
  options: {},
  isRemote: true,
  arguments: { min: 0, max: 0 },
  examples: ['millrace login --url https://logs.example.com', 'millrace login < token.txt'],
  async run(call) {
    const { env, signal, stdout } = call
    const { url, from } = await placeOf({ env, url: call.text('url'), token: undefined })
    const token = call.text('token') ?? (await askSecret(call, `Token for ${url}`))
    const account = recordOf(await createApi({ url, token, from, signal }).json('GET', '/api/account'))
    const file = await writeLogin(env, { url, token })
    if (call.is('json')) await writeJson(stdout, { url, file, account: account.name ?? null })
    else await writeLine(stdout, `Commands now speak to ${url}. This is remembered in ${file}.`)
    return 0
  },
}
