/**
 * The HTTP interface of ClickHouse before its engine as a library, for tests: one statement at a time, enough for the
 * official client. Settings of the address become a SETTINGS clause, so that they end with their statement, as they do
 * on a server. Run as `node front.ts PORT FOLDER`; it says `ready` when it listens.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Session } from 'chdb'

const [port = '0', folder = ''] = process.argv.slice(2)
const session = new Session(folder)

/** Said by the address, and no settings. */
const ADDRESS = new Set(['query', 'database', 'query_id', 'default_format', 'session_id', 'wait_end_of_query'])
/** These govern how a server answers, or would be in the way of several statements on one session. */
const IGNORED = new Set(['enable_http_compression', 'compress', 'decompress', 'http_headers_progress_interval_ms'])

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

type Statement = { text: string; parameters: Record<string, string | null> }

const ESCAPED: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' }

/** A server reads a value as it stands in tab-separated files; the library takes it as it is. */
function unescaped(value: string): string | null {
  return value === '\\N' ? null : value.replace(/\\(.)/gs, (_, each: string) => ESCAPED[each] ?? each)
}

function statementOf(url: URL, body: string): Statement {
  const given = url.searchParams.get('query') ?? ''
  const settings: string[] = []
  const parameters: Record<string, string | null> = {}
  const isList = (name: string): boolean => (given + body).includes(`{${name}:Array(`)
  for (const [name, value] of url.searchParams) {
    const parameter = name.startsWith('param_') ? name.slice('param_'.length) : null
    if (parameter !== null) parameters[parameter] = isList(parameter) ? value : unescaped(value)
    else if (!ADDRESS.has(name) && !IGNORED.has(name)) settings.push(`${name} = ${quoted(value)}`)
  }
  if (/^\s*insert\b/i.test(given)) {
    const clause = settings.length > 0 ? ` SETTINGS ${settings.join(', ')}` : ''
    const head = given.trimEnd().replace(/\s+FORMAT\s+(\w+)$/i, (_, format) => `${clause} FORMAT ${format}`)
    return { text: `${head}\n${body}`, parameters }
  }
  const text = (given + body).trim().replace(/;$/, '')
  const isQuery = /^(?:select|with|\()/i.test(text)
  // A server checks this before it runs anything; the library has no such mode for a single statement.
  if (!isQuery && url.searchParams.get('readonly') === '1')
    throw new Error('Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)')
  if (!isQuery || settings.length === 0) return { text, parameters }
  const clause = ` SETTINGS ${settings.join(', ')}`
  const format = /\s+FORMAT\s+\w+\s*$/i.exec(text)
  const bare = format ? text.slice(0, format.index) : text
  return { text: `${bare}${clause}${format?.[0] ?? ''}`, parameters }
}

const FORMATS = /\bFORMAT\s+(\w+)\s*$/i

function run({ text, parameters }: Statement, database: string | null, fallback: string): string {
  if (database) session.query(`USE \`${database.replaceAll('`', '\\`')}\``)
  const format = FORMATS.exec(text)?.[1] ?? fallback
  return Object.keys(parameters).length > 0 ? session.queryBind(text, parameters, format) : session.query(text, format)
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/ping') return response.end('Ok.\n')
  const [user, password] = [request.headers['x-clickhouse-user'], request.headers['x-clickhouse-key']]
  const basic = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
  if ((user ? `${user}:${password ?? ''}` : basic) === 'default:wrong') {
    response.statusCode = 403
    response.setHeader('x-clickhouse-exception-code', '516')
    return response.end('Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)')
  }
  try {
    const body = (await bodyOf(request)).toString()
    const answer = run(
      statementOf(url, body),
      url.searchParams.get('database'),
      url.searchParams.get('default_format') ?? 'TabSeparated',
    )
    const bytes = Buffer.from(answer)
    const isGzip =
      url.searchParams.get('enable_http_compression') === '1' && request.headers['accept-encoding']?.includes('gzip')
    if (isGzip) response.setHeader('content-encoding', 'gzip')
    response.setHeader('x-clickhouse-summary', '{"read_rows":"0","read_bytes":"0"}')
    response.end(isGzip ? gzipSync(bytes) : bytes)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002'
    response.statusCode = code === '60' || code === '81' ? 404 : 500
    response.setHeader('x-clickhouse-exception-code', code)
    response.end(message.includes('DB::Exception') ? message : `Code: ${code}. DB::Exception: ${message}`)
  }
})

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  console.log(`ready ${typeof address === 'object' && address ? address.port : port}`)
})
