const SIGNS = /"(?:[^"\\]|\\.)*"|[{}[\]]/g

/** The objects of a JSON list, each as its own text, not a character changed. */
export function rowTexts(json: string): string[] {
  const rows: string[] = []
  let depth = 0
  let start = 0
  SIGNS.lastIndex = 0
  for (let sign = SIGNS.exec(json); sign; sign = SIGNS.exec(json)) {
    const [text] = sign
    if (text === '{' || text === '[') {
      if (depth === 1) start = sign.index
      depth += 1
    } else if (text === '}' || text === ']') {
      depth -= 1
      if (depth === 1) rows.push(json.slice(start, sign.index + 1))
    }
  }
  return rows
}
