import { VERSION } from '../../http/openapi.ts'
import { createMcpServer } from '../../mcp/mcp.ts'
import type { Ask } from '../../mcp/tool.ts'
import type { Command } from '../command.ts'
import { writeLine } from '../print.ts'

export const mcp: Command = {
  name: 'mcp',
  summary: 'Offer read-only tools to an assistant on this machine (Model Context Protocol)',
  usage: '',
  about:
    'The assistant starts this command and speaks with it over standard input and output. The tools list sources and their\n' +
    'fields, search events, run SQL, and list and run endpoints; none of them changes anything. Services offer the same\n' +
    'tools themselves at /mcp.',
  options: {},
  isRemote: true,
  arguments: { min: 0, max: 0 },
  examples: ['millrace mcp --url https://logs.example.com --token mr_…'],
  async run({ api, signal, stderr, stdin }) {
    const service = await api()
    const ask: Ask = async (method, path, body) => {
      const json = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
      const answer = await service.fetch(path, { method, ...json }).catch((error: unknown) => error)
      // The service may be back for the next question.
      if (!(answer instanceof Response)) return { status: 503, text: JSON.stringify({ error: String(answer) }) }
      return { status: answer.status, text: await answer.text() }
    }
    const onError = (error: unknown): void => void writeLine(stderr, String(error))
    const server = await createMcpServer({ ask, release: VERSION, onError })
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const ended = new Promise<void>((resolve) => {
      stdin.once('end', resolve).once('close', resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await server.connect(new StdioServerTransport())
    await ended
    await server.close()
    return 0
  },
}
