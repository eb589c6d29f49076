import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Example } from '../example.ts'

const NOW = new Date()
const MICROS = NOW.getTime() * 1000
const UNAUTHORIZED = /401|Unauthorized/

const JSON_TYPE = { 'content-type': 'application/json' }
const addressIn = (text: string): string => /https?:[^"\s]+/.exec(text)?.[0] ?? ''

const VERCEL = {
  id: '1573817187330377061717300000',
  deploymentId: 'dpl_1',
  source: 'lambda',
  host: 'shop.example',
  timestamp: NOW.getTime(),
  projectId: 'prj_1',
  level: 'info',
  message: 'paid',
  proxy: {
    method: 'GET',
    host: 'shop.example',
    path: '/pay',
    userAgent: ['curl/8'],
    clientIp: '192.0.2.7',
    statusCode: 200,
  },
}

const NETLIFY = {
  log_type: 'traffic',
  timestamp: NOW.toISOString(),
  method: 'GET',
  status_code: 200,
  client_ip: '192.0.2.7',
  request_id: 'r1',
  url: 'https://shop.example/pay',
  user_agent: 'curl/8',
}

const EDGE = { EdgeStartTimestamp: `${MICROS}000`, ClientRequestURI: '/pay', EdgeResponseStatus: 200 }

/** Services on the internet that send to an address; their requests are sent from here. */
export const drainExamples: Example[] = [
  {
    page: 'drains',
    heading: 'Vercel',
    language: 'text',
    stored: [
      {
        id: VERCEL.id,
        timestamp: MICROS,
        event_message: 'lambda | 200 | shop.example | /pay | 192.0.2.7 | curl/8',
        metadata: {
          ...VERCEL,
          proxy: { ...VERCEL.proxy, userAgent: 'curl/8' },
          parsedLambdaMessage: expect.objectContaining({ parse_status: 'failed', lines_string: 'paid' }),
        },
      },
    ],
    refused: UNAUTHORIZED,
    replay: (address) => [
      { url: addressIn(address), headers: JSON_TYPE, body: '[]', status: 200 },
      { url: addressIn(address), headers: JSON_TYPE, body: JSON.stringify([VERCEL]), status: 200 },
    ],
  },
  {
    page: 'drains',
    heading: 'Netlify',
    language: 'text',
    stored: [
      { event_message: 'Netlify log drain', metadata: { log_type: 'validate' } },
      {
        event_message: 'traffic | GET | 200 | 192.0.2.7 | r1 | https://shop.example/pay | curl/8',
        timestamp: MICROS,
        metadata: NETLIFY,
      },
    ],
    refused: UNAUTHORIZED,
    replay: (address) => [
      { url: addressIn(address), headers: JSON_TYPE, body: '{"message":"Netlify log drain"}', status: 200 },
      { url: addressIn(address), headers: JSON_TYPE, body: JSON.stringify([NETLIFY]), status: 200 },
    ],
  },
  {
    page: 'drains',
    heading: 'GitHub',
    language: 'text',
    stored: [
      {
        event_message: 'acme/shop | ada | opened',
        github_event: 'issues',
        metadata: { action: 'opened', repository: { full_name: 'acme/shop' }, sender: { login: 'ada' } },
      },
    ],
    refused: UNAUTHORIZED,
    replay: (address) => ({
      url: addressIn(address),
      headers: { ...JSON_TYPE, 'x-github-event': 'issues', 'user-agent': 'GitHub-Hookshot/1' },
      body: JSON.stringify({
        action: 'opened',
        repository: { full_name: 'acme/shop', html_url: 'https://example.com' },
        sender: { login: 'ada', avatar_url: 'https://example.com' },
      }),
      status: 200,
    }),
  },
  {
    page: 'drains',
    heading: 'Heroku',
    language: 'text',
    stored: [
      {
        event_message: 'State changed from starting to up',
        timestamp: MICROS,
        metadata: {
          priority: 40,
          facility: 'syslog',
          severity: 'emergency',
          level: 'emergency',
          hostname: 'host',
          appname: 'heroku',
          process_id: 'web.3',
          message_raw: expect.stringContaining('<40>1 '),
          message_text: 'State changed from starting to up',
        },
      },
    ],
    refused: UNAUTHORIZED,
    replay: (command) => {
      const line = `<40>1 ${NOW.toISOString()} host heroku web.3 - State changed from starting to up\n`
      return {
        url: addressIn(command),
        headers: { 'content-type': 'application/logplex-1', 'logplex-msg-count': '1' },
        body: `${line.length} ${line}`,
        status: 200,
      }
    },
  },
  {
    page: 'edge',
    heading: 'Destination of the push',
    language: 'text',
    stored: [{ event_message: JSON.stringify(EDGE), timestamp: MICROS, metadata: EDGE }],
    refused: UNAUTHORIZED,
    replay: (address) => [
      // A push begins with a packed text that only tries the address.
      {
        url: addressIn(address),
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
        body: gzipSync('{"content":"tests"}'.slice(1)),
        status: 200,
      },
      { url: addressIn(address), headers: { 'content-type': 'text/plain' }, body: '', status: 200 },
      {
        url: addressIn(address),
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
        body: gzipSync(`${JSON.stringify(EDGE)}\n{"broken":\n`),
        status: 200,
      },
    ],
  },
  {
    page: 'edge',
    heading: 'From a worker',
    language: 'js',
    stored: [{ event_message: 'GET /pay', metadata: { status: 200 } }],
    refused: UNAUTHORIZED,
  },
]
