/** Rows of a CSV text: commas or semicolons, quotes with doubled quotes inside, line breaks within quotes. */
export function readCsv(text: string): string[][] {
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = (): void => {
    row.push(cell)
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator) endCell()
    else if (sign === '\n') endRow()
    else if (sign !== '\r' || text[at + 1] !== '\n') cell += sign
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

/** Spreadsheets of many countries write semicolons. */
function separatorOf(text: string): string {
  const first = text.slice(0, text.indexOf('\n') >>> 0)
  return !first.includes(',') && first.includes(';') ? ';' : ','
}
