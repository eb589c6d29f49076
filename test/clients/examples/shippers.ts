import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { attributeAt, directiveAt, sectionAt, settingAt, yamlAt } from '../config.ts'
import type { Example } from '../example.ts'
import { lokiPush } from '../loki-push.ts'

const NOW = new Date()
const ISO = NOW.toISOString()
const MICROS = NOW.getTime() * 1000
const UNAUTHORIZED = /401/

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/** OTLP as the Collector and the SDKs write it in JSON. */
const OTLP_LOGS = JSON.stringify({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
      scopeLogs: [{ scope: {}, logRecords: [{ timeUnixNano: `${MICROS}000`, body: { stringValue: 'paid' } }] }],
    },
  ],
})
const OTLP_STORED = {
  event_message: 'paid',
  timestamp: MICROS,
  body: 'paid',
  resource: { _service_name: 'checkout' },
  metadata: { type: 'otel_log' },
}

/** Programs that carry the logs of others: each request is the one that its program is known to make. */
export const shipperExamples: Example[] = [
  {
    page: 'vector',
    heading: 'The http sink',
    language: 'yaml',
    stored: [{ event_message: 'paid', timestamp: MICROS, host: 'web-1', source_type: 'file' }],
    refused: UNAUTHORIZED,
    replay: (config) => [
      { url: yamlAt(config, 'sinks', 'millrace', 'healthcheck', 'uri'), method: 'HEAD', status: 200 },
      {
        url: yamlAt(config, 'sinks', 'millrace', 'uri'),
        headers: {
          'content-type': 'application/json',
          'content-encoding': yamlAt(config, 'sinks', 'millrace', 'compression'),
          'x-api-key': yamlAt(config, 'sinks', 'millrace', 'request', 'headers', 'X-API-KEY'),
        },
        body: gzipSync(JSON.stringify([{ message: 'paid', timestamp: ISO, host: 'web-1', source_type: 'file' }])),
        status: 200,
      },
    ],
  },
  {
    page: 'splunk',
    heading: 'Vector',
    language: 'yaml',
    stored: [
      {
        event_message: 'paid',
        timestamp: MICROS,
        amount: 12,
        splunk: { index: expect.stringMatching(/^splunk-/), host: 'web-1' },
      },
    ],
    refused: /403/,
    replay: (config) => [
      {
        url: `${yamlAt(config, 'sinks', 'millrace', 'endpoint')}/services/collector/health/1.0`,
        method: 'GET',
        headers: { authorization: `Splunk ${yamlAt(config, 'sinks', 'millrace', 'default_token')}` },
        status: 200,
      },
      {
        url: `${yamlAt(config, 'sinks', 'millrace', 'endpoint')}/services/collector/event`,
        headers: {
          'content-type': 'application/json',
          authorization: `Splunk ${yamlAt(config, 'sinks', 'millrace', 'default_token')}`,
        },
        body: JSON.stringify({
          event: { message: 'paid', amount: 12 },
          fields: {},
          time: MICROS / 1e6,
          host: 'web-1',
          index: yamlAt(config, 'sinks', 'millrace', 'index'),
        }),
        status: 200,
      },
    ],
  },
  {
    page: 'datadog',
    heading: 'Vector',
    language: 'yaml',
    stored: [
      {
        event_message: 'paid',
        timestamp: MICROS,
        ddtags: expect.stringMatching(/^env:prod,source_name:datadog-/),
        ddsource: 'vector',
        status: 'info',
      },
    ],
    refused: /403/,
    replay: (config) => ({
      url: `${yamlAt(config, 'sinks', 'millrace', 'endpoint')}/api/v2/logs`,
      headers: {
        'content-type': 'application/json',
        'dd-api-key': yamlAt(config, 'sinks', 'millrace', 'default_api_key'),
      },
      body: JSON.stringify([
        {
          message: 'paid',
          timestamp: MICROS / 1000,
          ddtags: /ddtags = "([^"]+)"/.exec(yamlAt(config, 'transforms', 'for_millrace', 'source'))?.[1],
          ddsource: 'vector',
          status: 'info',
        },
      ]),
      status: 202,
    }),
  },
  {
    page: 'datadog',
    heading: 'The Agent',
    language: 'yaml',
    stored: [
      {
        event_message: 'paid',
        timestamp: MICROS,
        ddtags: expect.stringMatching(/^source_name:datadog-/),
        ddsource: 'node',
        hostname: 'web-1',
        service: 'checkout',
        status: 'info',
      },
    ],
    refused: /403/,
    replay: (config) => ({
      url: `${yamlAt(config, 'logs_config', 'logs_dd_url')}/api/v2/logs`,
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'dd-api-key': yamlAt(config, 'api_key'),
      },
      body: gzipSync(
        JSON.stringify([
          {
            message: 'paid',
            status: 'info',
            timestamp: MICROS / 1000,
            hostname: 'web-1',
            service: 'checkout',
            ddsource: 'node',
            ddtags: yamlAt(config, 'tags', '0'),
          },
        ]),
      ),
      status: 202,
    }),
  },
  {
    page: 'elasticsearch',
    heading: 'Filebeat',
    language: 'yaml',
    stored: [{ event_message: 'paid', timestamp: MICROS, host: { name: 'web-1' }, log: { offset: 0 } }],
    refused: UNAUTHORIZED,
    replay: (config) => {
      const [host] = config.match(/http:[^"]+/) ?? []
      const headers = {
        authorization: `ApiKey ${Buffer.from(yamlAt(config, 'output.elasticsearch', 'api_key')).toString('base64')}`,
        'user-agent': 'Elastic-filebeat/9.2.0 (linux; amd64)',
      }
      const document = { '@timestamp': ISO, message: 'paid', host: { name: 'web-1' }, log: { offset: 0 } }
      return [
        { url: `${host}/`, method: 'GET', headers, status: 200 },
        { url: `${host}/_license?human=false`, method: 'GET', headers, status: 200 },
        {
          url: `${host}/_bulk`,
          headers: { ...headers, 'content-type': 'application/vnd.elasticsearch+json; compatible-with=8' },
          body: `{"create":{"_index":"${yamlAt(config, 'output.elasticsearch', 'index')}"}}\n${JSON.stringify(document)}\n`,
          status: 200,
        },
      ]
    },
  },
  {
    page: 'elasticsearch',
    heading: 'Logstash',
    language: 'conf',
    stored: [{ event_message: 'paid', timestamp: MICROS, __version: '1', host: { name: 'web-1' } }],
    refused: UNAUTHORIZED,
    replay: (config) => {
      const host = settingAt(config, 'hosts')
      const headers = {
        authorization: basic(settingAt(config, 'user'), settingAt(config, 'password')),
        'user-agent': 'Logstash/9.2.0 (OS=Linux)',
      }
      const document = { '@timestamp': ISO, '@version': '1', message: 'paid', host: { name: 'web-1' } }
      return [
        { url: `${host}/`, method: 'HEAD', headers, status: 200 },
        { url: `${host}/`, method: 'GET', headers, status: 200 },
        { url: `${host}/_license`, method: 'GET', headers, status: 200 },
        {
          url: `${host}/_bulk?filter_path=errors,items.*.error,items.*.status`,
          headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
          body: gzipSync(
            `{"index":{"_id":null,"_index":"${settingAt(config, 'index')}","routing":null}}\n${JSON.stringify(document)}\n`,
          ),
          status: 200,
        },
      ]
    },
  },
  {
    page: 'fluent-bit',
    heading: 'The http output',
    language: 'ini',
    stored: [{ event_message: 'paid', timestamp: MICROS, host: 'web-1' }],
    refused: UNAUTHORIZED,
    replay: (config) => {
      const [name = '', key = ''] = sectionAt(config, 'Header').split(' ')
      return {
        url: `http://${sectionAt(config, 'Host')}:${sectionAt(config, 'Port')}${sectionAt(config, 'URI')}`,
        headers: {
          'user-agent': 'Fluent-Bit',
          'content-type': 'application/json',
          'content-encoding': sectionAt(config, 'Compress'),
          [name]: key,
        },
        body: gzipSync(JSON.stringify([{ date: MICROS / 1e6, log: 'paid', host: 'web-1' }])),
        status: 200,
      }
    },
  },
  {
    page: 'loki',
    heading: 'Fluent Bit',
    language: 'ini',
    stored: [{ event_message: '{"log":"paid"}', timestamp: MICROS, labels: { job: 'fluent-bit' } }],
    refused: UNAUTHORIZED,
    replay: (config) => ({
      url: `http://${sectionAt(config, 'Host')}:${sectionAt(config, 'Port')}/loki/api/v1/push`,
      headers: {
        'user-agent': 'Fluent-Bit',
        'content-type': 'application/json',
        'x-scope-orgid': sectionAt(config, 'tenant_id'),
        authorization: basic(sectionAt(config, 'http_user'), sectionAt(config, 'http_passwd')),
      },
      body: JSON.stringify({
        streams: [{ stream: { job: 'fluent-bit' }, values: [[`${MICROS}000`, '{"log":"paid"}']] }],
      }),
      status: 204,
    }),
  },
  {
    page: 'loki',
    heading: 'Promtail',
    language: 'yaml',
    stored: [{ event_message: 'paid', timestamp: MICROS, labels: { job: 'varlogs' } }],
    refused: UNAUTHORIZED,
    replay: (config) => ({
      url: yamlAt(config, 'clients', '0', 'url'),
      headers: {
        'content-type': 'application/x-protobuf',
        'x-scope-orgid': yamlAt(config, 'clients', '0', 'tenant_id'),
        authorization: `Bearer ${yamlAt(config, 'clients', '0', 'bearer_token')}`,
      },
      body: lokiPush('{job="varlogs"}', 'paid', NOW.getTime()),
      status: 204,
    }),
  },
  {
    page: 'loki',
    heading: 'Alloy',
    language: 'conf',
    stored: [{ event_message: 'paid', timestamp: MICROS, labels: { job: 'varlogs' } }],
    refused: UNAUTHORIZED,
    replay: (config) => ({
      url: attributeAt(config, 'url'),
      headers: {
        'content-type': 'application/x-protobuf',
        'x-scope-orgid': attributeAt(config, 'tenant_id'),
        authorization: basic(attributeAt(config, 'username'), attributeAt(config, 'password')),
      },
      body: lokiPush('{job="varlogs"}', 'paid', NOW.getTime()),
      status: 204,
    }),
  },
  {
    page: 'fluentd',
    heading: 'The http output',
    language: 'conf',
    stored: [{ event_message: 'paid', timestamp: MICROS, amount: 12 }],
    refused: UNAUTHORIZED,
    replay: (config) => {
      const [, name = '', key = ''] = /\{"([^"]+)":"([^"]+)"\}/.exec(directiveAt(config, 'headers')) ?? []
      return {
        url: directiveAt(config, 'endpoint'),
        headers: { 'content-type': directiveAt(config, 'content_type'), [name]: key },
        body: `${JSON.stringify({ message: 'paid', amount: 12, timestamp: ISO.replace('Z', '000000+0000') })}\n`,
        status: 200,
      }
    },
  },
  {
    page: 'opentelemetry',
    heading: 'Any SDK',
    language: 'text',
    stored: [OTLP_STORED],
    refused: UNAUTHORIZED,
    replay: (environment) => {
      const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(environment)?.[1] ?? ''
      const headers = setting('OTEL_EXPORTER_OTLP_HEADERS').split(',')
      return {
        url: `${setting('OTEL_EXPORTER_OTLP_ENDPOINT')}/v1/logs`,
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(headers.map((header) => header.split('=', 2))),
        },
        body: OTLP_LOGS,
        status: 200,
      }
    },
  },
  {
    page: 'opentelemetry',
    heading: 'The Collector',
    language: 'yaml',
    stored: [OTLP_STORED],
    refused: UNAUTHORIZED,
    replay: (config) => ({
      url: `${yamlAt(config, 'exporters', 'otlphttp', 'endpoint')}/v1/logs`,
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-api-key': yamlAt(config, 'exporters', 'otlphttp', 'headers', 'x-api-key'),
        'x-source': yamlAt(config, 'exporters', 'otlphttp', 'headers', 'x-source'),
      },
      body: gzipSync(OTLP_LOGS),
      status: 200,
    }),
  },
]
