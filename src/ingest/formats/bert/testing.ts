/** Writes terms as Erlang's `term_to_binary` does, for tests. */
import { deflateSync } from 'node:zlib'

/** Values of JavaScript stand for terms: texts for binaries, `Symbol(name)` for atoms, `tuple(…)` for tuples. */
export type Given = string | number | bigint | symbol | Given[] | { tuple: Given[] } | { map: [Given, Given][] }

export const tuple = (...terms: Given[]): Given => ({ tuple: terms })
export const map = (fields: Record<string, Given>): Given => ({ map: Object.entries(fields) })
export const atom = (name: string): symbol => Symbol(name)

export const bert = (term: Given): Buffer => Buffer.concat([Buffer.from([131]), write(term)])

export function packedBert(term: Given): Buffer {
  const plain = write(term)
  return Buffer.concat([Buffer.from([131, 80]), size(4, plain.length), deflateSync(plain)])
}

function size(bytes: number, value: number): Buffer {
  const written = Buffer.alloc(bytes)
  written.writeUIntBE(value, 0, bytes)
  return written
}

function write(term: Given): Buffer {
  if (typeof term === 'string')
    return Buffer.concat([Buffer.from([109]), size(4, Buffer.byteLength(term)), Buffer.from(term)])
  if (typeof term === 'symbol') {
    const name = Buffer.from(term.description ?? '')
    return Buffer.concat([Buffer.from([119, name.length]), name])
  }
  if (typeof term === 'bigint') return writeBig(term)
  if (typeof term === 'number') return writeNumber(term)
  if (Array.isArray(term)) {
    if (term.length === 0) return Buffer.from([106])
    return Buffer.concat([Buffer.from([108]), size(4, term.length), ...term.map(write), Buffer.from([106])])
  }
  if ('tuple' in term) return Buffer.concat([Buffer.from([104, term.tuple.length]), ...term.tuple.map(write)])
  return Buffer.concat([Buffer.from([116]), size(4, term.map.length), ...term.map.flatMap((pair) => pair.map(write))])
}

function writeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(9)
  if (Number.isInteger(value) && value >= 0 && value < 256) return Buffer.from([97, value])
  if (value === (value | 0)) {
    bytes.writeUInt8(98)
    bytes.writeInt32BE(value, 1)
    return bytes.subarray(0, 5)
  }
  bytes.writeUInt8(70)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

function writeBig(value: bigint): Buffer {
  const digits = (value < 0n ? -value : value).toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').reverse()
  return Buffer.concat([Buffer.from([110, bytes.length, value < 0n ? 1 : 0]), bytes])
}
