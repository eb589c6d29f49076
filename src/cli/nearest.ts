/** The word that was probably meant; null when none is close. */
export function nearest(word: string, words: string[]): string | null {
  const scored = words.map((known) => ({ known, steps: known.startsWith(word) ? 1 : steps(word, known) }))
  const [best] = scored.sort((a, b) => a.steps - b.steps)
  return best && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.known : null
}

/** How many letters must be added, taken away, replaced or swapped with their neighbour. */
function steps(a: string, b: string): number {
  const rows = [...Array(a.length + 1).keys()].map((i) => [i, ...Array<number>(b.length).fill(0)])
  for (let j = 0; j <= b.length; j += 1) rows[0]![j] = j
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = least
    }
  return rows[a.length]![b.length]!
}
