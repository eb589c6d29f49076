import { createRequire } from 'node:module'

type Proto = { PushRequest: { fromObject(push: object): object; encode(push: object): { finish(): Uint8Array } } }

/** What Promtail and Alloy push: protobuf, packed with snappy. Made by a client that can write it as well. */
export function lokiPush(labels: string, line: string, nowMs: number): Buffer {
  const load = createRequire(import.meta.url)
  const { logproto }: { logproto: Proto } = load('winston-loki/src/proto')
  const { compressSync }: { compressSync(bytes: Uint8Array): Buffer } = load('snappy')
  const timestamp = { seconds: Math.floor(nowMs / 1000), nanos: (nowMs % 1000) * 1e6 }
  const push = logproto.PushRequest.fromObject({ streams: [{ labels, entries: [{ timestamp, line }] }] })
  return compressSync(logproto.PushRequest.encode(push).finish())
}
