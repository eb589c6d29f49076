/** The tools for assistants, used by the protocol's official client over both of its transports. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandEnv, MAIN } from './support/millrace.ts'
import { type Service, startService } from './support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await post('/api/sources', { name: 'shop' })
  await post('/api/logs?source_name=shop', [
    { id: 'a', message: 'card declined', metadata: { level: 'error', status: 402 } },
    { id: 'b', message: 'order placed', metadata: { level: 'info', status: 201 } },
  ])
  await post('/api/endpoints', {
    name: 'by-level',
    query: 'select id from `shop` where metadata.level = @level',
    enable_auth: true,
  })
})
afterAll(() => service.remove())

type Json = ReturnType<typeof JSON.parse>

async function post(path: string, body: unknown): Promise<Json> {
  const answer = await service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const overHttp = (token = service.managementToken) =>
  new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })

const overStdio = () =>
  new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env: commandEnv({ service }) })

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return client
}

async function use(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Json> {
  const answer: Json = await client.callTool({ name, arguments: input })
  const { text } = answer.content[0]
  return answer.isError ? { refused: text } : JSON.parse(text)
}

describe.each([
  ['streamable HTTP', () => connected(overHttp())],
  ['stdio', () => connected(overStdio())],
])('over %s', (_, connect) => {
  let client: Client
  beforeAll(async () => {
    client = await connect()
  })
  afterAll(() => client.close())

  test('every tool says that it only reads, and describes its input', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'get_schema',
      'list_endpoints',
      'list_sources',
      'query',
      'run_endpoint',
      'search',
    ])
    for (const { annotations, description, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      expect(description?.length).toBeGreaterThan(80)
      expect(inputSchema.type).toBe('object')
    }
  })

  test('sources and their fields', async () => {
    const { sources } = await use(client, 'list_sources')
    expect(sources).toContainEqual(expect.objectContaining({ name: 'shop', retention_days: 7 }))
    const { fields } = await use(client, 'get_schema', { source: 'shop' })
    expect(fields).toMatchObject({ timestamp: 'datetime', 'metadata.level': 'string', 'metadata.status': 'integer' })
  })

  test('search in LQL', async () => {
    const { events } = await use(client, 'search', { source: 'shop', lql: 'm.level:error' })
    expect(events).toMatchObject([{ id: 'a', event_message: 'card declined' }])
    const page = await use(client, 'search', { source: 'shop', limit: 1 })
    expect(page.events).toHaveLength(1)
    expect((await use(client, 'search', { source: 'shop', limit: 1, before: page.next })).events).toHaveLength(1)
  })

  test('SQL with parameters', async () => {
    const sql =
      'select count(*) as n from `shop` where timestamp > timestamp_sub(current_timestamp(), interval 1 hour) and metadata.level = @level'
    expect(await use(client, 'query', { sql, parameters: { level: 'info' } })).toMatchObject({ result: [{ n: 1 }] })
  })

  test('endpoints', async () => {
    const { endpoints } = await use(client, 'list_endpoints')
    expect(endpoints).toMatchObject([{ name: 'by-level', parameters: ['level'] }])
    const input = { endpoint: 'by-level', parameters: { level: 'error' } }
    expect(await use(client, 'run_endpoint', input)).toMatchObject({ result: [{ id: 'a' }] })
  })

  test.each([
    ['search', { source: 'nowhere' }, 'There is no source "nowhere"'],
    ['search', { source: 'shop', lql: 'm.levl:error' }, 'Did you mean m.level?'],
    ['query', { sql: 'select * from `shop`' }, 'timestamp'],
    ['query', { sql: 'drop table `shop`' }, 'SELECT'],
    ['run_endpoint', { endpoint: 'nothing' }, 'There is no endpoint "nothing"'],
    ['search', { source: 'shop', limit: 100_000 }, '200'],
  ])('%s refuses %j as an error of the tool, in words', async (tool, input, words) => {
    const { refused } = await use(client, tool, input)
    expect(refused).toContain(words)
  })
})

describe('who may use them over HTTP', () => {
  async function tokenWith(scopes: string): Promise<string> {
    return (await post('/api/access-tokens', { description: scopes, scopes })).token
  }

  test('a token that may only query runs endpoints; other tools name the scope they need', async () => {
    const client = await connected(overHttp(await tokenWith('query')))
    const input = { endpoint: 'by-level', parameters: { level: 'info' } }
    expect(await use(client, 'run_endpoint', input)).toMatchObject({ result: [{ id: 'b' }] })
    expect((await use(client, 'list_sources')).refused).toContain('management')
    expect((await use(client, 'query', { sql: 'select 1' })).refused).toContain('management')
    await client.close()
  })

  test.each([
    ['no token', async () => null, 401],
    ['an unknown token', async () => 'nonsense', 401],
    ['a token that may only send', () => tokenWith('ingest'), 403],
  ])('%s is turned away', async (_, token, status) => {
    const value = await token()
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(value ? { authorization: `Bearer ${value}` } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toHaveProperty('error')
  })

  test('GET is 405, as there is no stream to open', async () => {
    expect((await service.fetch('/mcp')).status).toBe(405)
  })
})
