/** The fields of the source: what values they have in this search, and filters by one press. */
import { ChevronRight, CircleMinus, CirclePlus, Columns3 } from 'lucide-react'
import { useState } from 'react'
import { sentenceOfError } from '../../api/request.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { CopyButton } from '../../design/code-block.tsx'
import { TextInput } from '../../design/input.tsx'
import { count, exactCount } from '../../design/numbers.ts'
import { ErrorState, Loading, Skeleton } from '../../design/states.tsx'
import { Tabs } from '../../design/tabs.tsx'
import type { Search } from './address.ts'
import { inline } from './event-fields.ts'
import { shortPath } from './lql-text.ts'
import { useFacet, useSchema } from './results.ts'

type Props = {
  search: Search
  columns: readonly string[]
  onColumn(path: string): void
  onFilter(path: string, value: unknown, wanted: 'in' | 'out'): void
}

const VALUE_CHARS_MAX = 500

export function FieldPanel({ search, columns, onColumn, onFilter }: Props) {
  const schema = useSchema(search.token)
  const [wanted, setWanted] = useState('')
  if (schema.isPending) return <Loading label="Loading fields" />
  if (schema.isError) return <ErrorState error={schema.error} onRetry={() => schema.refetch()} />
  const all = Object.entries(schema.data)
    .map(([path, type]) => ({ path, type }))
    .toSorted((a, b) => a.path.localeCompare(b.path))
  const fields = all.filter(
    ({ path }) => shortPath(path).toLowerCase().includes(wanted.toLowerCase()) || path.includes(wanted),
  )
  // Every event has another id and time; their most frequent values say nothing.
  const counted = fields.filter(({ path }) => path !== 'timestamp' && path !== 'id')
  return (
    <div className="flex min-w-0 flex-col gap-2 p-2">
      <TextInput
        type="search"
        aria-label="Filter fields"
        placeholder="Filter fields …"
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <Tabs
        label="Fields of the source"
        tabs={[
          {
            id: 'fields',
            label: 'Fields',
            count: counted.length,
            content: (
              <ul className="flex flex-col">
                {counted.map(({ path, type }) => (
                  <FieldItem
                    key={path}
                    path={path}
                    type={type}
                    search={search}
                    isColumn={columns.includes(path)}
                    onColumn={onColumn}
                    onFilter={onFilter}
                  />
                ))}
                {counted.length === 0 && <p className="px-1 py-2 text-small text-faint">No field has that name.</p>}
              </ul>
            ),
          },
          { id: 'schema', label: 'Schema', content: <Schema fields={fields} /> },
        ]}
      />
    </div>
  )
}

type ItemProps = Pick<Props, 'search' | 'onColumn' | 'onFilter'> & { path: string; type: string; isColumn: boolean }

function FieldItem({ path, type, search, isColumn, onColumn, onFilter }: ItemProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="min-w-0">
      <div className="group flex items-center rounded-small hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex h-7 min-w-0 grow items-center gap-1 rounded-small text-left"
          title={`${path}: ${type}`}
        >
          <ChevronRight size={13} aria-hidden className={classes('shrink-0 text-faint', isOpen && 'rotate-90')} />
          <span className="truncate font-mono text-small">{shortPath(path)}</span>
          <span className="ml-auto shrink-0 pl-1 text-tiny text-faint">{type}</span>
        </button>
        {path !== 'event_message' && (
          <IconButton
            icon={Columns3}
            size="small"
            label={isColumn ? `Hide the column ${path}` : `Show ${path} as a column`}
            isPressed={isColumn}
            onClick={() => onColumn(path)}
          />
        )}
      </div>
      {isOpen && <Values path={path} search={search} onFilter={onFilter} />}
    </li>
  )
}

function Values({ path, search, onFilter }: Pick<Props, 'search' | 'onFilter'> & { path: string }) {
  const facet = useFacet(search, path)
  if (facet.isPending) {
    return (
      <div role="status" aria-label={`Counting ${path}`} className="flex flex-col gap-2 py-2 pl-5">
        <Skeleton className="h-3 w-5/6" />
        <Skeleton className="h-3 w-2/3" />
      </div>
    )
  }
  if (facet.isError) {
    return (
      <div role="alert" className="flex flex-col items-start gap-1 py-1 pl-5 text-small text-danger">
        {sentenceOfError(facet.error)}
        <Button size="small" onClick={() => facet.refetch()}>
          Try again
        </Button>
      </div>
    )
  }
  const { facets, total, approximate } = facet.data
  const { values = [], more = false } = facets[0] ?? {}
  const top = values[0]?.count ?? 1
  return (
    <ul aria-label={`Values of ${path}`} className="pb-1 pl-5">
      {values.map(({ value, count: times }) => {
        const text = inline(value)
        const mayFilter = text.length < VALUE_CHARS_MAX
        return (
          <li key={text} className="group relative flex h-6 min-w-0 items-center gap-1 rounded-small hover:bg-hover">
            <span
              aria-hidden
              className="absolute inset-y-0.5 left-0 rounded-small bg-accent-soft"
              style={{ width: `${(times / top) * 100}%` }}
            />
            <span className="relative min-w-0 grow truncate px-1 font-mono text-small" title={text}>
              {text === '' ? '""' : text}
            </span>
            <span
              className="relative text-tiny text-soft tabular-nums"
              title={`${exactCount(times)} of ${exactCount(total)} events`}
            >
              {count(times)}
            </span>
            {mayFilter && (
              <span className="relative flex">
                <IconButton
                  icon={CirclePlus}
                  size="small"
                  label={`Only ${shortPath(path)}:${text}`}
                  onClick={() => onFilter(path, value, 'in')}
                />
                <IconButton
                  icon={CircleMinus}
                  size="small"
                  label={`Without ${shortPath(path)}:${text}`}
                  onClick={() => onFilter(path, value, 'out')}
                />
              </span>
            )}
          </li>
        )
      })}
      {values.length === 0 && <li className="text-small text-faint">No event of this search has it.</li>}
      {more && <li className="px-1 text-tiny text-faint">and less frequent values</li>}
      {approximate && <li className="px-1 text-tiny text-faint">counted in the newest events</li>}
    </ul>
  )
}

function Schema({ fields }: { fields: { path: string; type: string }[] }) {
  const markdown = ['| Field | Type |', '|---|---|', ...fields.map(({ path, type }) => `| ${path} | ${type} |`)].join(
    '\n',
  )
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between text-small text-faint">
        Paths as they are searched
        <CopyButton text={markdown} label="Copy the schema as a table" />
      </div>
      <table aria-label="Schema" className="w-full table-fixed border-collapse">
        <tbody>
          {fields.map(({ path, type }) => (
            <tr key={path} className="border-t border-line">
              <th scope="row" className="py-1 pr-2 text-left font-mono text-small font-normal break-words">
                {shortPath(path)}
              </th>
              <td className="w-16 py-1 text-small text-faint">{type}</td>
              <td className="w-7">
                <CopyButton text={shortPath(path)} label={`Copy ${path}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
