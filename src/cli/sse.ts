export type SseMessage = { id: string; event: string; data: string }

/** The messages of a stream of Server-Sent Events; a comment comes as an empty message, as a sign of life. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder()
  let text = ''
  let message = empty()
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    const lines = text.split(/\r\n|\n|\r(?=.)/)
    text = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        yield message
        message = empty()
      } else if (line.startsWith(':')) yield empty()
      else take(message, line)
    }
  }
}

const empty = (): SseMessage => ({ id: '', event: 'message', data: '' })

function take(message: SseMessage, line: string): void {
  const colon = line.indexOf(':')
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'id' || name === 'event') message[name] = value
  if (name === 'data') message.data += message.data === '' ? value : `\n${value}`
}
