/** The few values that a receiver of the forward protocol says, in MessagePack. */
export type Said = string | boolean | Buffer | Said[] | { [name: string]: Said }

export function pack(value: Said): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2])
  if (typeof value === 'string') return sized(0xda, Buffer.from(value))
  if (value instanceof Buffer) return sized(0xc5, value)
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([0x90 | value.length]), ...value.map(pack)])
  const fields = Object.entries(value)
  return Buffer.concat([
    Buffer.from([0x80 | fields.length]),
    ...fields.flatMap(([name, child]) => [pack(name), pack(child)]),
  ])
}

/** Behind a length of two bytes. */
function sized(first: number, content: Buffer): Buffer {
  const head = Buffer.from([first, 0, 0])
  head.writeUInt16BE(content.length, 1)
  return Buffer.concat([head, content])
}
