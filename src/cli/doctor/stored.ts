/** What is stored beside the catalog: key, journal, parts. Only read, also while the service runs. */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSecretKey } from '../../catalog/secrets.ts'
import { errorCode, nodeDisk } from '../../journal/disk.ts'
import { readBatches } from '../../journal/frame-reader.ts'
import { loadPositions } from '../../journal/positions.ts'
import { type Damage, listSegments, segmentPath } from '../../journal/segments.ts'
import { checksumOf } from '../../warehouse/engine/checksum.ts'
import { type Part, readManifest, storedSources } from '../../warehouse/manifest.ts'
import { bytesText } from '../print.ts'
import { sourceTokens } from './catalog.ts'
import { type Check, type Finding, ok, problem, skipped, warning } from './check.ts'

export const keyCheck: Check = {
  name: 'secret key',
  async run({ settings: { secretKey, dataDir, databaseUrl } }) {
    const advice = 'Put back the key that secrets were stored with; without it they must be entered again.'
    if (secretKey) {
      parseSecretKey(secretKey)
      return [ok('MILLRACE_SECRET_KEY is set')]
    }
    const file = join(dataDir, 'secret.key')
    if (!existsSync(file))
      return (await sourceTokens({ databaseUrl, dataDir }).catch(() => null))
        ? [problem(`${file} is missing.`, advice)]
        : [skipped('It is made at the first start')]
    if (Buffer.from((await readFile(file, 'utf8')).trim(), 'base64').length !== 32)
      return [problem(`${file} holds no key.`, advice)]
    if (((await stat(file)).mode & 0o077) !== 0) return [warning(`${file} can be read by others.`, `chmod 600 ${file}`)]
    return [ok(file)]
  },
}

export const journalCheck: Check = {
  name: 'journal',
  async run({ settings: { dataDir }, service }) {
    const dir = join(dataDir, 'journal')
    if (!existsSync(dir)) return [skipped('It is made at the first start')]
    const segments = await listSegments(nodeDisk, dir)
    const last = segments.at(-1)
    if (last === undefined) return [ok('It is empty')]
    const positions = await loadPositions(nodeDisk, dir)
    const slowest = positions && positions.size > 0 ? Math.min(...positions.values()) : 0
    const from = segments.findLast((start) => start <= slowest) ?? segments[0]!
    const to = last + (await stat(segmentPath(dir, last))).size
    const damaged: Damage[] = []
    const onDamage = (damage: Damage): void => void damaged.push(damage)
    const range = { disk: nodeDisk, dir, segments, from, to, verify: true, reuse: true, onDamage }
    try {
      for await (const _ of readBatches(range));
    } catch (error) {
      // The service lets segments go that all readers have passed.
      if (service && errorCode(error) === 'ENOENT') return [skipped('It moved on while it was read; try again')]
      throw error
    }
    // A frame that is being written, or was when the power failed, is no damage.
    if (damaged.at(-1)?.to === to && damaged.at(-1)!.from >= last) damaged.pop()
    if (damaged.length === 0) return [ok(`${segments.length} segments, ${bytesText(to - segments[0]!)}`)]
    if (service) return [warning(`${damaged.length} stretches cannot be read.`, 'See journal.damaged in GET /health.')]
    const places = damaged.map(({ segment, from: at, to: end }) => `${segment}: ${end - at} bytes from position ${at}`)
    return [
      problem(`Stretches cannot be read: ${places.join(', ')}.`, 'Events in them are lost unless a backup has them.'),
    ]
  },
}

export const partsCheck: Check = {
  name: 'parts',
  async run({ settings: { dataDir }, isDeep }) {
    const dir = join(dataDir, 'warehouse')
    if (!existsSync(dir)) return [skipped('There are none yet')]
    const found: Finding[] = []
    let [parts, bytes] = [0, 0]
    for (const token of storedSources(dir)) {
      const manifest = readManifest(join(dir, token))
      for (const part of manifest?.parts ?? []) {
        parts += 1
        bytes += part.bytes
        const wrong = await wrongWith(join(dir, token, part.file), part, isDeep)
        // Merged or expired since the manifest was read.
        const isGone = wrong !== null && !readManifest(join(dir, token))?.parts.some(({ file }) => file === part.file)
        if (wrong !== null && !isGone)
          found.push(
            problem(`${token}/${part.file} ${wrong}.`, 'Restore it from a backup; see docs/guide/operating.md.'),
          )
      }
    }
    const how = isDeep ? 'all bytes compared' : 'sizes compared; --deep reads all bytes'
    return found.length > 0 ? found : [ok(`${parts} parts, ${bytesText(bytes)}, ${how}`)]
  },
}

async function wrongWith(path: string, { bytes, crc }: Part, isDeep: boolean): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  if (!found) return 'is missing'
  if (found.size !== bytes) return `has ${found.size} bytes instead of ${bytes}`
  if (isDeep && crc !== undefined && (await checksumOf(path)) !== crc) return 'is not what was written'
  return null
}
