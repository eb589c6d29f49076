import { JsonObject, NumberText } from '../../json/value.ts'

const REPORT =
  /^REPORT RequestId: (\S+)\s+Duration: ([\d.]+) ms\s+Billed Duration: (\d+) ms\s+Memory Size: (\d+) MB\s+Max Memory Used: (\d+) MB(?:\s+Init Duration: ([\d.]+) ms)?/m

/** What a function printed in one run, between the lines START, END and REPORT that its platform adds. */
export function readLambda(printed: string): JsonObject {
  const requestId = /^START RequestId: (\S+)/m.exec(printed)?.[1] ?? /RequestId: (\S+)/.exec(printed)?.[1]
  const report = REPORT.exec(printed)
  const lines = printed
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:START|END|REPORT) RequestId:/.test(line))
  const read = new JsonObject().add('parse_status', report ? 'full' : requestId ? 'partial' : 'failed')
  if (requestId) read.add('request_id', requestId)
  read.add('lines_string', lines.join('\n'))
  if (!report) return read
  const [, , duration, billed, memory, used, init] = report
  const numbers = new JsonObject()
  const add = (name: string, digits: string | undefined): void => {
    if (digits !== undefined) numbers.add(name, new NumberText(String(Number(digits))))
  }
  add('duration_ms', duration)
  add('billed_duration_ms', billed)
  add('memory_size_mb', memory)
  add('max_memory_used_mb', used)
  add('init_duration_ms', init)
  return read.add('report', numbers)
}
