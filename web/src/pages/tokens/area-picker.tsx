/** One area of what a token may do: all of it, or single sources or endpoints. */
import { useState } from 'react'
import { TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { Checkbox } from '../../design/toggle.tsx'
import type { Named } from './tokens.ts'

type Area = 'none' | 'all' | string[]

type Props = {
  label: string
  help: string
  /** In the plural: sources, endpoints. */
  noun: string
  things: readonly Named[]
  area: Area
  onChange(area: Area): void
  isDisabled: boolean
}

const FILTER_FROM = 8

export function AreaPicker({ label, help, noun, things, area, onChange, isDisabled }: Props) {
  const [filter, setFilter] = useState('')
  const chosen = Array.isArray(area) ? area : []
  const shown = things.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <div className="flex flex-col gap-2 border-t border-line px-3 py-3 first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 grow basis-48">
          <Checkbox
            label={label}
            isOn={area !== 'none'}
            isDisabled={isDisabled}
            onChange={(isOn) => onChange(isOn ? 'all' : 'none')}
          />
          <p className="pl-6 text-small text-faint">{help}</p>
        </div>
        {area !== 'none' && (
          <div className="w-44">
            <Select
              label={`Which ${noun} for ${label}`}
              value={area === 'all' ? 'all' : 'some'}
              isDisabled={isDisabled}
              onChange={(value) => onChange(value === 'all' ? 'all' : [])}
              options={[
                { value: 'all', label: `All ${noun}` },
                { value: 'some', label: `Chosen ${noun}` },
              ]}
            />
          </div>
        )}
      </div>
      {Array.isArray(area) && (
        <fieldset className="ml-6 flex flex-col gap-2 rounded-base border border-line p-2">
          <legend className="sr-only">{`Chosen ${noun}`}</legend>
          {things.length >= FILTER_FROM && (
            <TextInput
              type="search"
              aria-label={`Filter ${noun}`}
              placeholder="Filter …"
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
            />
          )}
          <div className="flex max-h-40 flex-col gap-1.5 overflow-y-auto px-0.5">
            {shown.map(({ token, name }) => (
              <Checkbox
                key={token}
                label={name}
                isOn={chosen.includes(token)}
                isDisabled={isDisabled}
                onChange={(isOn) => onChange(isOn ? [...chosen, token] : chosen.filter((other) => other !== token))}
              />
            ))}
            {shown.length === 0 && <p className="text-small text-faint">There are no {noun} like that.</p>}
          </div>
        </fieldset>
      )}
    </div>
  )
}
