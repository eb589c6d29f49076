/** The query, its time, and the button that runs or stops it. What the service says against a text stands below it. */
import { Play, Square } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useApi } from '../../api/client.tsx'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Editor } from '../../editor/editor.tsx'
import { lql as lqlOf } from '../../editor/lql.ts'
import { timeOf, withTime } from './lql-text.ts'
import { lqlSourceOf } from './results.ts'
import { TimePicker } from './time-picker.tsx'

type Props = {
  token: string
  text: string
  onText(text: string): void
  onAsk(text: string): void
  zone: string
  onZone(zone: string): void
  range: [number, number] | null
  isRunning: boolean
  onStop(): void
  /** What a search of nothing looks for. */
  standard: string
  error: unknown
}

export function QueryBar({
  token,
  text,
  onText,
  onAsk,
  zone,
  onZone,
  range,
  isRunning,
  onStop,
  standard,
  error,
}: Props) {
  const api = useApi()
  const ask = useRef(onAsk)
  ask.current = onAsk
  const extensions = useMemo(() => lqlOf(lqlSourceOf(api, token, (typed) => ask.current(typed))), [api, token])
  return (
    <div className="flex shrink-0 flex-col gap-2 px-4 wide:px-6">
      <div className="flex flex-col gap-2 wide:flex-row wide:items-start">
        <Editor
          label="LQL query"
          value={text}
          onChange={onText}
          onSubmit={onAsk}
          isSingleLine
          placeholder={
            standard ? `Default search: ${standard}` : 'Search: words, "a phrase", m.level:error, m.ms:>100 …'
          }
          extensions={extensions}
          className="grow"
        />
        <div className="flex min-w-0 gap-2 max-wide:justify-between">
          <TimePicker
            time={timeOf(text)}
            zone={zone}
            range={range}
            onTime={(time) => onAsk(withTime(text, time))}
            onZone={onZone}
          />
          {isRunning ? (
            <Button icon={Square} onClick={onStop} className="w-24">
              Cancel
            </Button>
          ) : (
            <Button kind="primary" icon={Play} onClick={() => onAsk(text)} className="w-24">
              Search
            </Button>
          )}
        </div>
      </div>
      {error !== null && <Refusal error={error} text={text} onAsk={onAsk} />}
    </div>
  )
}

/** The sentence of the service, where it points to, and the correction it offers. */
function Refusal({ error, text, onAsk }: { error: unknown; text: string; onAsk(text: string): void }) {
  const { position, found, expected, suggestion } = placeOf(error)
  const mayReplace = suggestion !== null && position !== null && text.startsWith(found, position)
  return (
    <div role="alert" className="rounded-base border border-danger/40 bg-danger-soft px-3 py-2">
      <p className="break-words text-danger">{sentenceOfError(error)}</p>
      {position !== null && (
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-soft">
          <span>
            At character {position + 1}
            {found && (
              <>
                : found <code className="font-mono">{found}</code>
              </>
            )}
            {expected && `, expected ${expected}`}
          </span>
          {mayReplace && (
            <Button
              size="small"
              onClick={() => onAsk(text.slice(0, position) + suggestion + text.slice(position + found.length))}
            >
              Use {suggestion}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

type Place = { position: number | null; found: string; expected: string; suggestion: string | null }

function placeOf(error: unknown): Place {
  const { position, found, expected, suggestion } = error instanceof Problem ? error.details : {}
  return {
    position: typeof position === 'number' ? position : null,
    found: typeof found === 'string' ? found : '',
    expected: typeof expected === 'string' ? expected : '',
    suggestion: typeof suggestion === 'string' ? suggestion : null,
  }
}
