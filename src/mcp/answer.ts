/** An answer as text for a model, kept to a size that leaves it room to think. */
export const ANSWER_CHARS_MAX = 100_000

/** Leaves out the last entries of the longest list until the text is short enough, and says so. */
export function answerText(answer: object): string {
  const whole = JSON.stringify(answer)
  if (whole.length <= ANSWER_CHARS_MAX) return whole
  const lists = Object.entries(answer).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [name, list] = lists.sort((a, b) => b[1].length - a[1].length)[0] ?? []
  if (name === undefined || list === undefined) return `${whole.slice(0, ANSWER_CHARS_MAX)} … (cut)`
  let room = ANSWER_CHARS_MAX - 1_000
  const kept = list.filter((entry) => {
    room -= JSON.stringify(entry).length + 1
    return room > 0
  })
  const note = `Only ${kept.length} of ${list.length} entries fit here. Ask for fewer fields or rows.`
  return JSON.stringify({ ...answer, [name]: kept, note })
}
