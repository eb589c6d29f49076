/** Collects lines into batches: full by number, full by size, or waiting long enough. */
export type BatchLimits = { events: number; bytes: number; waitMs: number }

export async function* batches(lines: AsyncIterable<string>, limits: BatchLimits): AsyncGenerator<string[]> {
  const source = lines[Symbol.asyncIterator]()
  let batch: string[] = []
  let bytes = 0
  let deadline: Promise<'late'> | null = null
  let timer: NodeJS.Timeout | undefined
  const flush = (): string[] => {
    const full = batch
    batch = []
    bytes = 0
    clearTimeout(timer)
    deadline = null
    return full
  }
  let next = source.next()
  for (;;) {
    const came = deadline === null ? await next : await Promise.race([next, deadline])
    if (came === 'late') {
      yield flush()
      continue
    }
    if (came.done) break
    next = source.next()
    const size = Buffer.byteLength(came.value) + 1
    if (batch.length > 0 && bytes + size > limits.bytes) yield flush()
    batch.push(came.value)
    bytes += size
    if (batch.length >= limits.events) yield flush()
    else
      deadline ??= new Promise((resolve) => {
        timer = setTimeout(() => resolve('late'), limits.waitMs)
      })
  }
  if (batch.length > 0) yield flush()
}
