/** A password or token: typed without being shown on a terminal, or the first line of standard input. */
import type { World } from './command.ts'
import { wrongUse } from './failure.ts'

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f']

export async function askSecret({ stdin, stderr }: Pick<World, 'stdin' | 'stderr'>, question: string): Promise<string> {
  const typed = stdin.isTTY ? await typeHidden(stdin, stderr, question) : await firstLine(stdin)
  if (typed.trim() === '') throw wrongUse('Nothing was given.')
  return typed.trim()
}

async function firstLine(stdin: World['stdin']): Promise<string> {
  let text = ''
  for await (const chunk of stdin) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}

async function typeHidden(stdin: World['stdin'], stderr: World['stderr'], question: string): Promise<string> {
  const setRaw = (isRaw: boolean): void => {
    if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(isRaw)
  }
  stderr.write(`${question}: `)
  setRaw(true)
  try {
    let typed = ''
    for await (const chunk of stdin)
      for (const key of String(chunk)) {
        if (key === CTRL_C || key === CTRL_D) throw wrongUse('Nothing was given.')
        if (key === '\r' || key === '\n') return typed
        typed = key === BACKSPACE || key === DELETE ? typed.slice(0, -1) : typed + key
      }
    return typed
  } finally {
    setRaw(false)
    stderr.write('\n')
  }
}
