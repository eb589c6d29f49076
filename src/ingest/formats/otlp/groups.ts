import { Fault } from '../../../base/faults.ts'
import type { Intake } from '../../intake.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Delivery, Format, Headers } from '../format.ts'
import { isProtobuf, typeOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { SharedBytes } from '../shared-bytes.ts'
import { assertSound, elementsOf, fieldAt } from '../walk.ts'
import { resourceOf, scopeOf, serviceOf } from './attributes.ts'
import { readProtobuf, servicesOf, shown } from './protobuf.ts'
import type { Signal } from './signal.ts'

/**
 * OTLP as JSON or protobuf: two readers, and one mapping to events for both. Without another source the `service.name`
 * of a resource names it.
 */
export function createOtlp(signal: Signal): Format {
  const { name, nesting, take } = signal
  return {
    name,
    hidesRefused: false,
    takesEmpty: true,
    isBinary: isProtobuf,
    check: assertType,
    time: () => undefined,
    show: (body, from, to) => shown(body, from, to, signal.record),
    async read(intake: Intake, { part, headers }: Delivery) {
      if (isProtobuf(headers)) return readProtobuf(intake, part, signal)
      const { body } = intake
      await assertSound(intake)
      const shared = new SharedBytes('Resources and scopes')
      for (const at of elementsOf(body, fieldAt(body, 0, ...nesting.resources))) {
        const resource = valueAt(intake, at, 'resource', resourceOf)
        if (part !== undefined && serviceOf(resource) !== part) continue
        for (const inner of elementsOf(body, fieldAt(body, at, ...nesting.scopes))) {
          const scope = valueAt(intake, inner, 'scope', scopeOf)
          const group = { resource, scope }
          shared.enter(resource, scope)
          for (const record of elementsOf(body, fieldAt(body, inner, ...nesting.records))) {
            shared.count()
            take(intake, record, group)
            if (intake.isDueToPause) await intake.pause()
          }
        }
      }
    },
    split(body, headers) {
      if (isProtobuf(headers)) return servicesOf(body, signal)
      const names = new Set<string>()
      parsedWhole(body, (reader) => {
        for (const at of elementsOf(body, fieldAt(body, 0, ...nesting.resources))) {
          const resource = fieldAt(body, at, 'resource')
          names.add(resource < 0 ? '' : serviceOf(resourceOf(reader.read(resource))))
        }
      })
      return [...names]
    },
  }
}

function assertType(headers: Headers): void {
  const type = typeOf(headers)
  if (type !== 'application/json' && type !== '' && !isProtobuf(headers))
    throw new Fault(
      'unsupported_type',
      `Content type ${type} is not supported. Send application/x-protobuf or application/json.`,
    )
}

function valueAt(intake: Intake, at: number, name: string, read: (value: ReturnType<Intake['valueAt']>) => JsonObject) {
  const found = fieldAt(intake.body, at, name)
  return read(found < 0 ? null : intake.valueAt(found))
}
