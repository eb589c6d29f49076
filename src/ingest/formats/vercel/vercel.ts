import type { Shape } from '../../intake.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { readAlike } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { at, text } from '../values.ts'
import { readLambda } from './lambda.ts'

/**
 * A Vercel log drain, a list or lines. The message sums up the request; the event itself is kept under `metadata`, with
 * the output of a function read into `parsedLambdaMessage`.
 */
export const vercel: Format = {
  name: 'vercel',
  hidesRefused: false,
  takesEmpty: true,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  read: (intake, { headers }) => readAlike(intake, headers, shape),
}

const shape: Shape = (value) => {
  if (!(value instanceof JsonObject)) return value
  const source = text(at(value, 'source'))
  const metadata = new JsonObject()
  for (let i = 0; i < value.size; i++) {
    const name = value.names[i]!
    metadata.add(name, name === 'proxy' ? withAgentAsText(value.values[i]!) : value.values[i]!)
  }
  const printed = at(value, 'message')
  if (source === 'lambda' && typeof printed === 'string') metadata.add('parsedLambdaMessage', readLambda(printed))
  const event = new JsonObject().add('message', summary(source, value, metadata)).add('metadata', metadata)
  const timestamp = at(value, 'timestamp')
  const id = at(value, 'id')
  if (timestamp !== undefined) event.add('timestamp', timestamp)
  return id === undefined ? event : event.add('id', id)
}

function summary(source: string, value: JsonObject, metadata: JsonObject): string {
  const proxy = at(metadata, 'proxy')
  if (source === 'build' || !(proxy instanceof JsonObject)) return `${source} | ${text(at(value, 'message'))}`
  const pieces = ['statusCode', 'host', 'path', 'clientIp', 'userAgent'].map((name) => text(at(proxy, name)))
  return [source, ...pieces].join(' | ')
}

function withAgentAsText(proxy: JsonValue): JsonValue {
  if (!(proxy instanceof JsonObject)) return proxy
  const changed = new JsonObject()
  for (let i = 0; i < proxy.size; i++) {
    const value = proxy.values[i]!
    const isAgent = proxy.names[i] === 'userAgent' && Array.isArray(value)
    changed.add(proxy.names[i]!, isAgent ? value.map(text).join(',') : value)
  }
  return changed
}
