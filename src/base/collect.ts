import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets go of what starting up left behind: modules are compiled, schemas built, and most of that is garbage that V8
 * would keep until the heap grows again. Measured: 15 MB less in a process that then sits idle.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' })
}
