/** The values of parameters live in the address as `p.<name>`, so that a call that was tried can be shown to somebody. */
import { type Query, useQueryTexts } from '../../shell/address.ts'

const PREFIX = 'p.'

export function useValues(parameters: readonly string[]): [Query, (name: string, value: string) => void] {
  const [query, changeQuery] = useQueryTexts()
  return [valuesIn(query, parameters), (name, value) => changeQuery({ [PREFIX + name]: value }, { replace: true })]
}

/** Of parameters that have one. */
export const valuesIn = (query: Query, parameters: readonly string[]): Query =>
  Object.fromEntries(
    parameters.flatMap((name) => {
      const value = query[PREFIX + name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
