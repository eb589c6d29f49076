import { BrokenProtobuf, Fields, LENGTH, VARINT } from '../../base/protobuf/wire.ts'
import { type Answer, createHttpReceiver, outcomeOf } from '../http.ts'
import type { Batch, Outcome, Receiver, Surroundings } from '../kind.ts'
import { encode } from './encode.ts'

type Config = { endpoint: string; gzip: boolean; headers: Record<string, string>; isFlat: boolean }

const NOBODY = { token: '', name: 'millrace', serviceName: null, retentionDays: 7, fields: () => ({}) }

export function createOtlpReceiver(config: Config, surroundings: Surroundings): Receiver {
  const { endpoint, gzip, headers, isFlat } = config
  return createHttpReceiver(
    {
      ...{ url: endpoint, gzip, headers },
      contentType: 'application/x-protobuf',
      encode: (batch) => encode(batch, { isFlat }),
      outcome,
      probeBody: encode({ source: NOBODY, events: [] }, { isFlat }),
    },
    surroundings,
  )
}

/**
 * A success may say that some records were not taken. Which ones it does not say, and it must not be asked again with the
 * others among them; only when it took none is it known which they are.
 */
function outcome(answer: Answer, { events }: Batch): Outcome {
  const told = outcomeOf(answer)
  if (told.kind !== 'accepted') return told
  const partial = partialSuccess(answer)
  if (partial.rejected === 0) return told
  const reason = `the receiver rejected ${partial.rejected} of ${events.length} records: ${partial.message}`
  return partial.rejected >= events.length
    ? { kind: 'refused', reason }
    : { kind: 'accepted', lost: { count: partial.rejected, reason } }
}

type Partial = { rejected: number; message: string }

const ALL_TAKEN: Partial = { rejected: 0, message: '' }

function partialSuccess({ bytes, contentType }: Answer): Partial {
  try {
    if (contentType.startsWith('application/x-protobuf')) return readPartial(bytes)
    if (contentType.startsWith('application/json')) return readJsonPartial(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    // The status said that the records were taken; what else was said cannot be read.
    if (!(error instanceof BrokenProtobuf) && !(error instanceof SyntaxError)) throw error
  }
  return ALL_TAKEN
}

function readPartial(bytes: Buffer): Partial {
  const read = { ...ALL_TAKEN }
  const response = new Fields(bytes)
  while (response.next()) {
    if (response.field !== 1 || response.type !== LENGTH) continue
    const partial = new Fields(bytes, response.from, response.to)
    while (partial.next()) {
      if (partial.field === 1 && partial.type === VARINT && partial.high < 0x8000_0000)
        read.rejected = partial.high * 2 ** 32 + partial.low
      if (partial.field === 2 && partial.type === LENGTH)
        read.message = bytes.toString('utf8', partial.from, partial.to)
    }
  }
  return read
}

function readJsonPartial(answer: unknown): Partial {
  const partial = fieldOf(answer, 'partialSuccess')
  const rejected = Number(fieldOf(partial, 'rejectedLogRecords')) || 0
  const message = fieldOf(partial, 'errorMessage')
  return { rejected: Math.max(rejected, 0), message: typeof message === 'string' ? message : '' }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
