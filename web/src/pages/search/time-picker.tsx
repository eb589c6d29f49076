/** Chooses the time of a search: it writes the `t:` clause of the query, and the zone in which times are read and shown. */
import { CalendarClock } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Popover } from '../../design/popover.tsx'
import { browserZone, isZone, localText, PRESETS, timeLabel } from './times.ts'

type Props = {
  /** What stands behind `t:`. */
  time: string
  zone: string
  /** What is shown now, as a start for a range of one's own; microseconds. */
  range: [number, number] | null
  onTime(time: string): void
  onZone(zone: string): void
}

export function TimePicker({ time, zone, range, onTime, onZone }: Props) {
  const [isOpen, setOpen] = useState(false)
  const choose = (chosen: string): void => {
    setOpen(false)
    onTime(chosen)
  }
  return (
    <Popover
      label="Time of the search"
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button icon={CalendarClock} className="max-w-full" aria-label={`Time: ${timeLabel(time, zone)}`}>
          <span className="truncate">{timeLabel(time, zone)}</span>
        </Button>
      }
    >
      <div className="flex flex-col sm:flex-row">
        <ul className="p-1.5 sm:w-44 sm:border-r sm:border-line">
          {PRESETS.map((preset) => (
            <li key={preset.label}>
              <button
                type="button"
                onClick={() => choose(preset.time)}
                aria-pressed={preset.time === time}
                className={classes(
                  'flex h-7 w-full items-center rounded-small px-2 text-left hover:bg-hover',
                  preset.time === time && 'font-medium text-accent',
                )}
              >
                {preset.label}
              </button>
            </li>
          ))}
        </ul>
        <div className="flex w-72 max-w-full flex-col gap-4 p-3">
          <RangeForm zone={zone} range={range} onRange={choose} />
          <ZoneForm zone={zone} onZone={onZone} />
        </div>
      </div>
    </Popover>
  )
}

function RangeForm({ zone, range, onRange }: Pick<Props, 'zone' | 'range'> & { onRange(time: string): void }) {
  const nowUs = Date.now() * 1000
  const [from, setFrom] = useState(() => localText(range?.[0] ?? nowUs - 3_600_000_000, zone))
  const [to, setTo] = useState(() => localText(range?.[1] ?? nowUs, zone))
  const isBackwards = from !== '' && to !== '' && from > to
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBackwards) onRange(`${withSeconds(from)}..${withSeconds(to)}`)
      }}
    >
      <Field label="From">
        <TextInput
          type="datetime-local"
          step={1}
          value={from}
          required
          onChange={({ target }) => setFrom(target.value)}
        />
      </Field>
      <Field label="To" error={isBackwards ? 'The end lies before the start.' : null}>
        <TextInput type="datetime-local" step={1} value={to} required onChange={({ target }) => setTo(target.value)} />
      </Field>
      <Button type="submit" kind="primary" disabled={isBackwards}>
        Search this range
      </Button>
    </form>
  )
}

/** Inputs leave seconds out when they are zero. */
const withSeconds = (text: string): string => (text.length === 16 ? `${text}:00` : text)

function ZoneForm({ zone, onZone }: Pick<Props, 'zone' | 'onZone'>) {
  const [text, setText] = useState(zone)
  const isKnown = isZone(text)
  const use = (next: string): void => {
    setText(next)
    if (next !== zone && isZone(next)) onZone(next)
  }
  return (
    <form
      className="flex flex-col gap-2 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        use(text)
      }}
    >
      <Field label="Time zone" error={isKnown ? null : 'No zone has this name.'} help="Times are read and shown in it.">
        <TextInput
          list="zones"
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
          onBlur={() => use(text)}
        />
      </Field>
      <datalist id="zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="flex gap-2">
        <Button size="small" onClick={() => use('UTC')}>
          UTC
        </Button>
        {browserZone() !== 'UTC' && (
          <Button size="small" onClick={() => use(browserZone())}>
            {browserZone()}
          </Button>
        )}
      </div>
    </form>
  )
}
