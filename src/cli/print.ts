/** How results look on a terminal: tables, lists of records, JSON for programs. */
import type { World } from './command.ts'

export type Row = Record<string, unknown>

const CELL_MAX = 120

/** Waits when the reader is slow, and says nothing when it has gone (`millrace search … | head`). */
export async function write(stream: World['stdout'], text: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return
  if (!stream.write(text))
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stream.off('drain', go).off('close', go)
        resolve()
      }
      stream.on('drain', go).on('close', go)
    })
}

export const writeLine = (stream: World['stdout'], text: string): Promise<void> => write(stream, `${text}\n`)

export const writeJson = (stream: World['stdout'], value: unknown): Promise<void> =>
  writeLine(stream, JSON.stringify(value, null, 2))

export function table(rows: Row[], columns: string[] = columnsOf(rows)): string {
  const cells = rows.map((row) => columns.map((name) => cell(row[name])))
  const widths = columns.map((name, i) => Math.max(width(name), ...cells.map((row) => width(row[i]!))))
  const line = (texts: string[]): string =>
    texts
      .map((text, i) => pad(text, widths[i]!))
      .join('  ')
      .trimEnd()
  return [line(columns), line(widths.map((n) => '─'.repeat(n))), ...cells.map(line)].join('\n')
}

const columnsOf = (rows: Row[]): string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** One field a line. */
export function record(row: Row): string {
  const names = Object.keys(row)
  const room = Math.max(0, ...names.map((name) => name.length))
  return names.map((name) => `${name.padEnd(room)}  ${value(row[name])}`).join('\n')
}

function cell(given: unknown): string {
  const text = value(given)
  return width(text) > CELL_MAX ? `${[...text].slice(0, CELL_MAX - 1).join('')}…` : text
}

const value = (given: unknown): string =>
  given === null || given === undefined ? '' : clean(typeof given === 'string' ? given : JSON.stringify(given))

/** Events come from anywhere: what they hold must not steer the terminal. */
export const clean = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) =>
    char === '\n' ? '⏎' : char === '\t' ? ' ' : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/gu

const width = (text: string): number => [...text].length + (text.match(WIDE)?.length ?? 0)

const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)))

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let at = 0
  let size = bytes
  while (size >= 1000 && at < units.length - 1) {
    size /= 1000
    at += 1
  }
  return `${at === 0 ? size : size.toFixed(1)} ${units[at]}`
}
