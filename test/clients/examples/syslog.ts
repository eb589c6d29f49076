import { expect } from 'vitest'
import { optionAt, parameterAt } from '../config.ts'
import type { Example } from '../example.ts'

const NOW = new Date()
const LINE = `<134>1 ${NOW.toISOString()} web-1 checkout 42 - - paid`

const STORED = {
  event_message: 'paid',
  metadata: {
    priority: 134,
    facility: 'local0',
    severity: 'info',
    level: 'info',
    hostname: 'web-1',
    appname: 'checkout',
    process_id: '42',
    message_raw: expect.stringMatching(/^<134>1 .* paid$/),
    message_text: 'paid',
  },
}

export const syslogExamples: Example[] = [
  { page: 'syslog', heading: 'Over HTTP', language: 'sh', stored: [STORED], refused: /Unauthorized/ },
  {
    page: 'syslog',
    heading: 'syslog-ng over HTTP',
    language: 'conf',
    stored: [{ ...STORED, timestamp: NOW.getTime() * 1000 }],
    refused: /401/,
    replay: (config) => {
      const [name = '', key = ''] = optionAt(config, 'headers').split(': ')
      return { url: optionAt(config, 'url'), headers: { [name]: key }, body: `${LINE}\n`, status: 200 }
    },
  },
  {
    page: 'syslog',
    heading: 'rsyslog over HTTP',
    language: 'conf',
    stored: [{ ...STORED, timestamp: NOW.getTime() * 1000 }],
    refused: /401/,
    replay: (config) => {
      const [server, port, path] = ['server', 'serverport', 'restpath'].map((name) => parameterAt(config, name))
      return {
        url: `http://${server}:${port}/${path}`,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          [parameterAt(config, 'httpheaderkey')]: parameterAt(config, 'httpheadervalue'),
        },
        body: `${LINE}\n`,
        status: 200,
      }
    },
  },
]
