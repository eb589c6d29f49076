import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

const CHUNK_BYTES = 1024 * 1024

/** The CRC-32 of a file's bytes, read in pieces so that queries are answered meanwhile. */
export async function checksumOf(path: string): Promise<number> {
  const file = await open(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let sum = 0
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES)
      if (bytesRead === 0) return sum
      sum = crc32(chunk.subarray(0, bytesRead), sum)
    }
  } finally {
    await file.close()
  }
}
