/** The tar format (POSIX ustar), as far as backups need it: plain files with short names, of any size. */
import { Fault } from '../base/faults.ts'

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const SUM_AT = 148
/** The largest size that eleven octal digits hold. */
const OCTAL_MAX = 0o77777777777

export type Entry = { name: string; bytes: number; content: AsyncIterable<Buffer> }

export function tarHeader(name: string, bytes: number, modifiedMs: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for the archive`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0, 'latin1')
  header.write('0000600\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  writeSize(header, bytes)
  header.write(`${octal(Math.floor(modifiedMs / 1000), 11)}\0`, 136, 'latin1')
  header.write('0', 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${octal(sumOf(header), 6)}\0 `, SUM_AT, 'latin1')
  return header
}

/** Fills the last block of a file. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK_BYTES)

/** The files of an archive, in order. The content of each must be read to its end before the next is asked for. */
export async function* readTar(input: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const source = createByteReader(input)
  for (;;) {
    const header = await source.exactly(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) {
      // Whoever sends has more zeroes to send, and takes it amiss when nobody reads them.
      await source.drain()
      return
    }
    if (Number.parseInt(text(header, SUM_AT, 8), 8) !== sumOf(header)) throw broken()
    const bytes = readSize(header)
    const type = header.toString('latin1', 156, 157)
    // Archives made anew by tar itself also name folders; they have no content.
    if (type === '5') continue
    if (type !== '0' && type !== '\0') throw new Fault('bad_request', 'The archive holds more than plain files.')
    yield { name: text(header, 0, NAME_BYTES).replace(/^\.\//, ''), bytes, content: source.upTo(bytes) }
    await source.exactly(tarPadding(bytes).length)
  }
}

const octal = (number: number, digits: number): string => number.toString(8).padStart(digits, '0')

/** Sizes beyond the octal digits are binary, marked by the highest bit. */
function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= OCTAL_MAX) {
    header.write(`${octal(bytes, 11)}\0`, SIZE_AT, 'latin1')
    return
  }
  header.writeBigUInt64BE(BigInt(bytes), SIZE_AT + SIZE_BYTES - 8)
  header[SIZE_AT] = 0x80
}

function readSize(header: Buffer): number {
  const size =
    (header[SIZE_AT]! & 0x80) === 0
      ? Number.parseInt(text(header, SIZE_AT, SIZE_BYTES), 8)
      : Number(header.readBigUInt64BE(SIZE_AT + SIZE_BYTES - 8))
  if (!Number.isSafeInteger(size) || size < 0) throw broken()
  return size
}

/** Of all bytes of the header, with the sum itself read as spaces. */
function sumOf(header: Buffer): number {
  let sum = 0
  for (const [i, byte] of header.entries()) sum += i >= SUM_AT && i < SUM_AT + 8 ? 0x20 : byte
  return sum
}

const text = (header: Buffer, at: number, bytes: number): string =>
  header
    .toString('latin1', at, at + bytes)
    .replace(/\0.*$/s, '')
    .trim()

const broken = (): Fault => new Fault('bad_request', 'The archive is damaged or is no tar archive.')

function createByteReader(input: AsyncIterable<Buffer>) {
  const chunks = input[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function fill(): Promise<void> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) throw new Fault('bad_request', 'The archive ends too early: it was not written to its end.')
      rest = value
    }
  }

  async function* upTo(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes
    while (left > 0) {
      await fill()
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  return {
    upTo,
    async exactly(bytes: number): Promise<Buffer> {
      const pieces: Buffer[] = []
      for await (const piece of upTo(bytes)) pieces.push(piece)
      return Buffer.concat(pieces)
    },
    async drain(): Promise<void> {
      while (!(await chunks.next()).done);
    },
  }
}
