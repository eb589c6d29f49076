import { styleText } from 'node:util'
import type { World } from './command.ts'

type Style = Parameters<typeof styleText>[0]

export type Paint = (style: Style, text: string) => string

/** Colours on a terminal; none in files and pipes, nor where NO_COLOR asks for none. FORCE_COLOR wins. */
export function paintFor(stream: World['stdout'], env: NodeJS.ProcessEnv): Paint {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0'
  const isPlain = !forced && ((env.NO_COLOR ?? '') !== '' || !stream.isTTY || env.TERM === 'dumb')
  return (style, text) => (isPlain ? text : styleText(style, text, { validateStream: false }))
}
