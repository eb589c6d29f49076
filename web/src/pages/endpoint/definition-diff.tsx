/** Two definitions side by side: the settings that differ, and the query line by line. */
import type { EndpointSnapshot } from '../../api/records.ts'
import { classes } from '../../design/classes.ts'
import { type DiffLine, diffLines } from './diff.ts'

const SETTINGS = [
  'name',
  'description',
  'language',
  'backend_id',
  'enable_auth',
  'sandboxable',
  'cache_duration_seconds',
  'proactive_requerying_seconds',
  'max_limit',
  'redact_pii',
  'enable_dynamic_reservation',
  'labels',
] as const

export function DefinitionDiff({ before, after }: { before: EndpointSnapshot; after: EndpointSnapshot }) {
  const changed = SETTINGS.filter((name) => before[name] !== after[name])
  const isSame = before.query === after.query
  return (
    <div className="flex flex-col">
      {changed.length > 0 && (
        <table aria-label="Settings that differ" className="w-full border-collapse text-small">
          <tbody>
            {changed.map((name) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className="px-3 py-1.5 text-left font-normal text-soft">
                  {name}
                </th>
                <td className="px-3 py-1.5 font-mono">
                  <del className="bg-danger-soft text-danger no-underline">{show(before[name])}</del>
                  <span className="px-2 text-faint">→</span>
                  <ins className="bg-good-soft text-good no-underline">{show(after[name])}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a section does not keep the line breaks of code */}
      <pre
        role="region"
        aria-label={isSame ? 'Query' : 'Query, line by line'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[60vh] overflow-auto py-2 font-mono text-small"
      >
        {diffLines(before.query, after.query).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and are never reordered
          <Line key={index} line={line} />
        ))}
      </pre>
    </div>
  )
}

const LOOKS: Record<DiffLine['kind'], string> = {
  same: 'text-soft',
  gone: 'bg-danger-soft text-danger',
  new: 'bg-good-soft text-good',
}
const MARKS: Record<DiffLine['kind'], string> = { same: ' ', gone: '-', new: '+' }

const Line = ({ line: { kind, text } }: { line: DiffLine }) => (
  <code className={classes('block min-w-max px-3 whitespace-pre', LOOKS[kind])}>
    {MARKS[kind]} {text}
  </code>
)

const show = (value: string | number | boolean | null): string =>
  value === null || value === '' ? 'none' : String(value)
