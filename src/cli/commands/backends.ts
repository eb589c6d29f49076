import { recordOf } from '../api.ts'
import { writeJson, writeLine } from '../print.ts'
import { recordCommand, show } from '../records.ts'

export const backends = recordCommand({
  kind: 'backends',
  summary: 'List, show, create, change, delete and test backends',
  about: 'A backend is a receiver outside. `test` tries to reach it, `status` tells how far it is behind.',
  line: ({ name, token, type, description }) => ({ name, token, type, description }),
  options: { type: { type: 'string', value: 'type', summary: 'Its type, for create: webhook, syslog, s3 and others' } },
  settings: async (call) => (call.text('type') === undefined ? {} : { type: call.text('type') }),
  deeds: {
    async test(call, api, name) {
      const { token } = await api.find('backends', name)
      const answer = recordOf(await api.json('POST', `/api/backends/${token}/test`))
      const isReached = answer['connected?'] === true
      if (call.is('json')) await writeJson(call.stdout, answer)
      else
        await writeLine(
          call.stdout,
          isReached ? `${name} can be reached.` : `${name} cannot be reached: ${answer.reason}`,
        )
      return isReached ? 0 : 1
    },
    async status(call, api, name) {
      const { token } = await api.find('backends', name)
      return show(call, recordOf(await api.json('GET', `/api/backends/${token}/status`)))
    },
  },
  examples: [
    `millrace backends create hook --type webhook --set 'config={"url":"https://example.com/in"}'`,
    'millrace backends test hook',
  ],
})
