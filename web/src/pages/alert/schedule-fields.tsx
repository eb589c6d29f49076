import { useId, useMemo } from 'react'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { PRESETS, scheduleText } from '../alerts/schedule.ts'
import type { PartProps } from './part.ts'

const OWN = 'own'

export function ScheduleFields({ draft: { cron, timezone }, change, errors, isReadOnly }: PartProps) {
  const zonesId = useId()
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), [])
  const preset = PRESETS.some((preset) => preset.cron === cron) ? cron : OWN
  const words = scheduleText(cron)
  return (
    <div className="flex flex-col gap-4 p-3">
      <Field label="Runs">
        <Select
          value={preset}
          onChange={(value) => value !== OWN && change({ cron: value })}
          isDisabled={isReadOnly}
          options={[
            ...PRESETS.map(({ cron, label }) => ({ value: cron, label })),
            { value: OWN, label: 'A schedule of my own' },
          ]}
        />
      </Field>
      <Field
        label="Schedule"
        error={errors.cron}
        help={words === cron ? 'Minute, hour, day of the month, month, day of the week.' : `Says: ${words}.`}
      >
        <TextInput
          value={cron}
          onChange={({ target }) => change({ cron: target.value })}
          required
          autoComplete="off"
          isData
        />
      </Field>
      <Field label="Time zone" error={errors.timezone} help="On whose clock the schedule is read.">
        <TextInput
          value={timezone}
          onChange={({ target }) => change({ timezone: target.value })}
          list={zonesId}
          required
          autoComplete="off"
        />
      </Field>
      <datalist id={zonesId}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  )
}
