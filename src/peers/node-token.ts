import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../base/faults.ts'
import { isUuid, uuid4 } from '../base/ids.ts'

/**
 * What tells this node from others that share its catalog: it goes with the data folder, whose journal only this node reads.
 * Made at the first start.
 */
export function nodeToken(dataDir: string): string {
  const file = join(dataDir, 'node.id')
  if (!existsSync(file)) writeFileSync(file, `${uuid4()}\n`, { flag: 'wx', flush: true })
  const token = readFileSync(file, 'utf8').trim()
  if (!isUuid(token))
    throw new Fault('setup', `${file} does not hold the id of a node. Remove it, and a new one is made.`)
  return token
}
