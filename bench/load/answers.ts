/** Reads just enough of HTTP/1.1 answers to know where one ends and what its status was. */
export type Answer = { status: number; body: string }

/** Takes the bytes of one connection in any pieces; calls back once per whole answer. Refuses chunked answers. */
export function createAnswerReader(onAnswer: (answer: Answer) => void): (piece: Buffer) => void {
  let pending = ''
  return (piece) => {
    // Latin-1 keeps one character per byte, so lengths in characters are lengths in bytes.
    pending += piece.toString('latin1')
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = pending.slice(0, headEnd)
      const isEmpty = head.startsWith('204', 9)
      const length = isEmpty ? '0' : /^content-length: *(\d+)/im.exec(head)?.[1]
      if (length === undefined) throw new Error(`an answer without content-length: ${head}`)
      const end = headEnd + 4 + Number(length)
      if (pending.length < end) return
      const answer = { status: Number(head.slice(9, 12)), body: pending.slice(headEnd + 4, end) }
      pending = pending.slice(end)
      onAnswer(answer)
    }
  }
}
