import type { SystemRecord } from '../../api/records.ts'
import { Card } from '../../design/card.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'
import { Moment } from '../../design/moment.tsx'
import { bytes, count } from '../../design/numbers.ts'
import { Stats } from '../../design/stat.tsx'

/** Less free disk than this is worth a warning. */
const LOW_DISK = 0.1

export function Overview({ system, nowMs }: { system: SystemRecord; nowMs: number }) {
  const { warehouse, journal, disk, versions, sources } = system
  const stored = sources.reduce((sum, source) => sum + source.bytes, 0)
  const rows = sources.reduce((sum, source) => sum + source.rows + source.fresh_rows, 0)
  const isDiskLow = disk.free_bytes < disk.total_bytes * LOW_DISK
  const isBehind = warehouse.unloaded_bytes > journal.max_unloaded_bytes / 2
  return (
    <div className="flex flex-col gap-4">
      <Stats
        label="State"
        stats={[
          { label: 'Running since', value: <Moment at={system.started_at} nowMs={nowMs} />, note: 'last start' },
          { label: 'Events', value: count(rows), note: `${bytes(stored)} on disk` },
          {
            label: 'Disk free',
            value: bytes(disk.free_bytes),
            note: `of ${bytes(disk.total_bytes)}`,
            ...(isDiskLow ? { tone: 'danger' as const } : {}),
          },
          {
            label: 'Not yet in parts',
            value: bytes(warehouse.unloaded_bytes),
            note: `senders wait from ${bytes(journal.max_unloaded_bytes)} on`,
            ...(isBehind ? { tone: 'warn' as const } : {}),
          },
          { label: 'Memory', value: bytes(system.memory_bytes), note: 'of the process that takes events' },
          {
            label: 'Engine restarts',
            value: count(warehouse.restarts),
            note: warehouse.ready ? 'the engine runs' : 'the engine is starting',
            ...(warehouse.restarts > 0 ? { tone: 'warn' as const } : {}),
          },
        ]}
      />
      {warehouse.last_error && (
        <p role="alert" className="rounded-base bg-danger-soft px-3 py-2 text-danger [overflow-wrap:anywhere]">
          Loading events into parts fails: {warehouse.last_error} They are safe in the journal, and loading is tried
          again.
        </p>
      )}
      {warehouse.damaged.length > 0 && <Damaged system={system} nowMs={nowMs} />}
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <Card title="Versions">
          <div className="px-3 [&_dd:last-of-type]:border-b-0 [&_dt:last-of-type]:border-b-0">
            <KeyValueList
              items={[
                { key: 'Millrace', value: versions.service, copy: versions.service },
                { key: 'Node', value: versions.node },
                { key: 'DuckDB', value: versions.duckdb },
                { key: 'Metadata', value: system.metadata === 'postgres' ? 'PostgreSQL' : 'SQLite' },
              ]}
            />
          </div>
        </Card>
        <Card title="Journal and limits">
          <div className="px-3 [&_dd:last-of-type]:border-b-0 [&_dt:last-of-type]:border-b-0">
            <KeyValueList
              items={[
                { key: 'Written in all', value: bytes(journal.end) },
                { key: 'Being written', value: bytes(journal.pending_bytes) },
                { key: 'Query memory', value: bytes(system.query_memory_bytes) },
                { key: 'Query time', value: `${system.query_timeout_ms / 1000} s at most` },
              ]}
            />
          </div>
        </Card>
      </div>
    </div>
  )
}

function Damaged({ system: { warehouse, sources }, nowMs }: { system: SystemRecord; nowMs: number }) {
  const nameOf = new Map(sources.map(({ token, name }) => [token, name]))
  return (
    <Card title={`Damaged parts · ${warehouse.damaged.length}`}>
      <p className="px-3 py-2 text-soft">
        These files could not be read and were set aside. Answers are given without them.
      </p>
      <ul>
        {warehouse.damaged.map(({ source, file, reason, at }) => (
          <li key={file} className="border-t border-line px-3 py-2 [overflow-wrap:anywhere]">
            <span className="font-medium">{nameOf.get(source) ?? source}</span>{' '}
            <code className="font-mono text-small">{file}</code> <span className="text-soft">{reason}</span>{' '}
            <span className="text-faint">
              <Moment at={at} nowMs={nowMs} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
