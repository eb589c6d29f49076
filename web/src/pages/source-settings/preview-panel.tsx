/** An event before and after the rules, as they stand in the form; another event can be chosen or written. */
import { ChevronLeft, ChevronRight, FilterX } from 'lucide-react'
import { useState } from 'react'
import { sentenceOfError } from '../../api/request.ts'
import { Badge } from '../../design/badge.tsx'
import { Button, IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { classes } from '../../design/classes.ts'
import { Field } from '../../design/field.tsx'
import { TextArea } from '../../design/input.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { difference } from './difference.ts'
import type { Draft } from './draft.ts'
import { type Previewed, usePreview, useRecent } from './preview.ts'

const SAMPLE = '{\n  "message": "GET /cart 500",\n  "metadata": { "level": "error" }\n}'

export function PreviewPanel({ draft }: { draft: Draft }) {
  const { token } = draft.source
  const recent = useRecent(token)
  const [index, setIndex] = useState(0)
  /** JSON that was typed; null while stored events are looked at. */
  const [written, setWritten] = useState<string | null>(null)
  const events = recent.data ?? []
  const text = written ?? (recent.data && events.length === 0 ? SAMPLE : null)
  const typed = text === null ? null : readEvent(text)
  const event = typed === null ? (events[index] ?? null) : typed.event
  const preview = usePreview(token, draft.changes, event)
  return (
    <Card
      title="Preview"
      actions={
        <span className="flex items-center gap-1">
          {text === null && events.length > 0 && (
            <>
              <IconButton
                icon={ChevronLeft}
                label="Newer event"
                size="small"
                disabled={index === 0}
                onClick={() => setIndex(index - 1)}
              />
              <span className="text-small text-faint tabular-nums">
                {index + 1} of {events.length}
              </span>
              <IconButton
                icon={ChevronRight}
                label="Older event"
                size="small"
                disabled={index >= events.length - 1}
                onClick={() => setIndex(index + 1)}
              />
            </>
          )}
          {events.length > 0 && (
            <Button
              kind="quiet"
              size="small"
              onClick={() => setWritten(written === null ? JSON.stringify(events[index], null, 2) : null)}
            >
              {written === null ? 'Edit event' : 'Stored events'}
            </Button>
          )}
        </span>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        {recent.isPending && <Loading rows={4} label="Loading recent events" />}
        {recent.isError && <ErrorState error={recent.error} onRetry={() => recent.refetch()} />}
        {text !== null && (
          <Field
            label="Event to try"
            error={typed?.problem}
            help={events.length === 0 ? 'The source has no events yet. Write one as it would be sent.' : undefined}
          >
            <TextArea
              rows={7}
              isData
              value={text}
              spellCheck={false}
              onChange={({ target }) => setWritten(target.value)}
            />
          </Field>
        )}
        {event !== null && preview.isError && (
          <p role="alert" className="text-danger">
            {sentenceOfError(preview.error)}
          </p>
        )}
        {event !== null && preview.isPending && <Loading rows={4} label="Loading the preview" />}
        {event !== null && preview.data && !preview.isError && <Outcome previewed={preview.data} />}
      </div>
    </Card>
  )
}

function Outcome({ previewed: { before, after, dropped, problems } }: { previewed: Previewed }) {
  if (dropped) {
    return (
      <div role="status" className="flex items-start gap-2 rounded-base bg-warn-soft px-3 py-2 text-warn">
        <FilterX size={14} className="mt-[3px] shrink-0" aria-hidden />
        This event would be dropped and not stored.
      </div>
    )
  }
  if (after === null) {
    return (
      <div role="status" className="flex flex-col gap-1 rounded-base bg-danger-soft px-3 py-2 text-danger">
        {problems.map(({ field, message }) => (
          <p key={`${field} ${message}`} className="min-w-0 break-words">
            {field === 'event' ? `This event would be rejected: ${message}` : `${LABELS[field] ?? field}: ${message}`}
          </p>
        ))}
      </div>
    )
  }
  const lines = difference(before, after)
  const gone = lines.filter(({ kind }) => kind === 'gone').length
  const fresh = lines.filter(({ kind }) => kind === 'new').length
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-2 text-small text-soft">
        {gone + fresh === 0 ? (
          'Stored as it is.'
        ) : (
          <>
            Stored with these changes: <Badge tone="good">+{fresh}</Badge> <Badge tone="danger">−{gone}</Badge> lines
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a section does not keep the line breaks of code */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label="Event after the rules"
        className="max-h-[60vh] overflow-auto rounded-base border border-line bg-sunken py-2 font-mono text-small"
      >
        {lines.map(({ kind, text }, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and are shown anew as a whole
            key={at}
            className={classes(
              'block min-h-[18px] w-max min-w-full px-3',
              kind === 'new' && 'bg-good-soft text-good',
              kind === 'gone' && 'bg-danger-soft text-danger',
            )}
          >
            <span aria-hidden className="inline-block w-4 select-none">
              {kind === 'new' ? '+' : kind === 'gone' ? '−' : ''}
            </span>
            {kind !== 'same' && <span className="sr-only">{kind === 'new' ? 'added: ' : 'removed: '}</span>}
            {text}
          </span>
        ))}
      </pre>
    </>
  )
}

/** The settings as the form calls them. */
const LABELS: Record<string, string> = {
  transform_copy_fields: 'Copy fields',
  transform_key_values: 'Enrich with key-values',
  transform_drop_fields: 'Drop fields',
  custom_event_message_keys: 'Message from fields',
  drop_lql_string: 'Drop events',
  retention_days: 'Retention in days',
}

function readEvent(text: string): { event: Record<string, unknown> | null; problem: string | null } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { event: { ...value }, problem: null }
    return { event: null, problem: 'An event is a JSON object: { … }' }
  } catch (error) {
    return { event: null, problem: error instanceof Error ? `This is no JSON: ${error.message}` : 'This is no JSON.' }
  }
}
