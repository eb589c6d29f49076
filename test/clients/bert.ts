/** A term as Erlang writes it (BERT), for what its loggers send: binaries, small integers, lists and maps. */
export function bert(value: unknown): Buffer {
  return Buffer.concat([Buffer.of(131), term(value)])
}

function term(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([sized(109, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') return sized(98, value)
  if (Array.isArray(value)) return Buffer.concat([sized(108, value.length), ...value.map(term), Buffer.of(106)])
  const fields = Object.entries(Object(value))
  return Buffer.concat([sized(116, fields.length), ...fields.flatMap(([name, field]) => [term(name), term(field)])])
}

function sized(tag: number, size: number): Buffer {
  const head = Buffer.of(tag, 0, 0, 0, 0)
  head.writeInt32BE(size, 1)
  return head
}
