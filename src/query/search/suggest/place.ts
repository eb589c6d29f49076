/** What a place in an unfinished text calls for. The text up to there need not be a query. */
export type Place = {
  /** Where the typed beginning starts. */
  from: number
  typed: string
} & (
  | { kind: 'clause' | 'aggregates' | 'periods' | 'times' | 'field' }
  | { kind: 'argument'; isNumeric: boolean }
  | { kind: 'value'; path: string; operator: string }
)

const PERIOD = /^c(?:hart)?:group_by\((?:t|timestamp)::(\w*)$/
const ARGUMENT = /^c(?:hart)?:(\w+)\(([\w.]*)$/
const AGGREGATE = /^c(?:hart)?:(\w*)$/
const SELECT = /^s(?:elect)?:([\w.]*)$/
const TIME = /^t(?:imestamp)?:(?:>=|<=|>|<)?(\S*)$/
const VALUE = /^([\w.]+)(:@>~|:@>|:>=|:<=|:>|:<|:~|:)(?:\((?:[^()]*,)?)?(\S*)$/

export function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position)
  const clause = (/\S*$/.exec(before)?.[0] ?? '').replace(/^[(-]+/, '')
  const at = (typed = ''): { typed: string; from: number } => ({ typed, from: position - typed.length })

  const period = PERIOD.exec(clause)
  if (period) return { kind: 'periods', ...at(period[1]) }
  const argument = ARGUMENT.exec(clause)
  if (argument) return { kind: 'argument', isNumeric: !argument[1]!.startsWith('count'), ...at(argument[2]) }
  const aggregate = AGGREGATE.exec(clause)
  if (aggregate) return { kind: 'aggregates', ...at(aggregate[1]) }
  const select = SELECT.exec(clause)
  if (select) return { kind: 'field', ...at(select[1]) }
  const time = TIME.exec(clause)
  if (time) return { kind: 'times', ...at(time[1]) }
  const value = VALUE.exec(clause)
  if (value) return { kind: 'value', path: value[1]!, operator: value[2]!, ...at(value[3]) }
  return { kind: 'clause', ...at(clause) }
}
