import { Fault } from '../../../base/faults.ts'
import type { Intake } from '../../intake.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Delivery, Format, Headers } from '../format.ts'
import { typeOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { assertSound, elementsOf, fieldAt } from '../walk.ts'
import { resourceOf, scopeOf, serviceOf } from './attributes.ts'

/** The three signals nest alike: resources, in them scopes, in them records. In JSON both spellings are allowed. */
export type Nesting = { resources: [string, string]; scopes: [string, string]; records: [string, string] }

export type Group = { resource: JsonObject; scope: JsonObject }

type Signal = {
  name: string
  nesting: Nesting
  /** Takes the events of the record at `from`. */
  take(intake: Intake, from: number, group: Group): void
}

/**
 * OTLP over HTTP as JSON. Without another source the `service.name` of a resource names it.
 * Refuses the protobuf form (415).
 */
export function createOtlp({ name, nesting, take }: Signal): Format {
  return {
    name,
    hidesRefused: false,
    check: assertJson,
    time: () => undefined,
    async read(intake: Intake, { part }: Delivery) {
      const { body } = intake
      await assertSound(intake)
      for (const at of elementsOf(body, fieldAt(body, 0, ...nesting.resources))) {
        const resource = valueAt(intake, at, 'resource', resourceOf)
        if (part !== undefined && serviceOf(resource) !== part) continue
        for (const inner of elementsOf(body, fieldAt(body, at, ...nesting.scopes))) {
          const scope = valueAt(intake, inner, 'scope', scopeOf)
          for (const record of elementsOf(body, fieldAt(body, inner, ...nesting.records))) {
            take(intake, record, { resource, scope })
            if (intake.isDueToPause) await intake.pause()
          }
        }
      }
    },
    split(body) {
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

function assertJson(headers: Headers): void {
  const type = typeOf(headers)
  if (type !== 'application/json' && type !== '')
    throw new Fault(
      'unsupported_type',
      `Content type ${type} is not supported. Set the exporter's protocol to http/json.`,
    )
}

function valueAt(intake: Intake, at: number, name: string, read: (value: ReturnType<Intake['valueAt']>) => JsonObject) {
  const found = fieldAt(intake.body, at, name)
  return read(found < 0 ? null : intake.valueAt(found))
}
