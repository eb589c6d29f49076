import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { TextInput } from '../../design/input.tsx'
import type { Pair } from './config.ts'

type Props = {
  label: string
  help: string | null
  error: string[] | undefined
  pairs: Pair[]
  onChange(pairs: Pair[]): void
}

/** Names with values, such as headers, one a line. */
export function Pairs({ label, help, error, pairs, onChange }: Props) {
  const id = useId()
  const change = (index: number, part: Partial<Pair>): void =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...part } : pair)))
  return (
    <fieldset aria-describedby={id} className="flex flex-col gap-1.5">
      <legend className="flex items-baseline gap-2 pb-1 font-medium">
        {label} <span className="text-small font-normal text-faint">optional</span>
      </legend>
      {pairs.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name while it is being typed
        <div key={index} className="flex items-center gap-1.5">
          <TextInput
            aria-label={`Name of line ${index + 1} of ${label}`}
            placeholder="name"
            className="max-w-[40%]"
            value={name}
            isData
            autoComplete="off"
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <TextInput
            aria-label={`Value of line ${index + 1} of ${label}`}
            placeholder="value"
            value={value}
            isData
            autoComplete="off"
            onChange={({ target }) => change(index, { value: target.value })}
          />
          <IconButton
            icon={X}
            label={`Remove line ${index + 1} of ${label}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon={Plus} onClick={() => onChange([...pairs, { name: '', value: '' }])}>
          Add to {label.toLowerCase()}
        </Button>
      </div>
      <div id={id}>
        {help && <p className="text-small text-faint">{help}</p>}
        {error && (
          <p role="alert" className="text-small text-danger">
            {error.join(', ')}
          </p>
        )}
      </div>
    </fieldset>
  )
}
