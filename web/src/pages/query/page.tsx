/** SQL over all sources: an editor, what came of it as rows or as a chart, and what was asked before. */
import { useNavigate } from '@tanstack/react-router'
import { Braces, Download, Play, Square } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useApi } from '../../api/client.tsx'
import { saveFile, useEngines } from '../../api/queries.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Menu } from '../../design/menu.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { Select } from '../../design/select.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { useToast } from '../../design/toast.tsx'
import { markOf } from '../../editor/mark.ts'
import { SqlEditor } from '../../editor/sql-editor.tsx'
import { QueryLog } from '../../results/query-log.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { ChartPanel } from './chart-panel.tsx'
import { useHistory } from './history.ts'
import { HistoryList } from './history-list.tsx'
import { Result } from './result.tsx'
import { bodyOf, type Ended, useRun } from './run.ts'
import { Status } from './status.tsx'

const FILES = [
  { format: 'csv', label: 'CSV' },
  { format: 'ndjson', label: 'NDJSON' },
  { format: 'parquet', label: 'Parquet' },
]

/** Radix keeps the empty text for "nothing chosen". */
const OWN_ENGINE = 'own'

export function Page() {
  const api = useApi()
  const navigate = useNavigate()
  const say = useToast()
  const mayPublish = useMay('member')
  const engines = useEngines()
  const [query, changeQuery] = useQueryTexts()
  const [sql, setSql] = useState(query.sql ?? '')
  // Back and forward bring the query of that time.
  useEffect(() => setSql(query.sql ?? ''), [query.sql])
  const history = useHistory()
  const { run, start, cancel } = useRun((ended) => history.remember(remembered(ended)))
  const engine = query.engine ?? ''
  const failure = run.state === 'failed' && run.asked.sql === sql ? run.problem : null
  const mark = useMemo(() => markOf(failure), [failure])
  const rows = run.state === 'done' ? run.answer.result : null

  const submit = (text: string): void => {
    if (text.trim() === '') return
    changeQuery({ sql: text, tab: query.tab === 'chart' ? 'chart' : '' }, { replace: query.sql === text })
    void start({ sql: text, engine })
  }
  const takeAway = async (format: string): Promise<void> => {
    if (run.state !== 'done') return
    try {
      saveFile(await api.file('/api/query', { ...bodyOf(run.asked), format }), `result.${format}`)
    } catch (error) {
      say(sentenceOfError(error), 'bad')
    }
  }
  const tabs = [
    {
      id: 'result',
      label: 'Result',
      ...(rows ? { count: rows.length } : {}),
      content: (
        <Card>
          <Result run={run} onExample={setSql} />
        </Card>
      ),
    },
    {
      id: 'chart',
      label: 'Chart',
      content: (
        <Card>
          <ChartPanel
            rows={rows}
            shape={query.chart === 'bar' ? 'bar' : 'line'}
            onShape={(shape) => changeQuery({ chart: shape === 'bar' ? 'bar' : '' }, { replace: true })}
          />
        </Card>
      ),
    },
    {
      id: 'history',
      label: 'History',
      content: (
        <Card>
          <HistoryList entries={history.entries} onChoose={setSql} onForget={history.forget} />
        </Card>
      ),
    },
    {
      id: 'log',
      label: 'Log',
      content: (
        <Card>
          <QueryLog empty="Every query, call of an endpoint and run of an alert leaves a line here." />
        </Card>
      ),
    },
  ]
  return (
    <>
      <PageHeader title="SQL" description="Ask questions over your sources in GoogleSQL." />
      <div className="flex flex-col gap-3 px-4 pb-8 wide:px-6">
        <SqlEditor
          label="SQL query"
          value={sql}
          onChange={setSql}
          onSubmit={submit}
          mark={mark}
          placeholder="select …"
          className="[&_.cm-editor]:max-h-[45vh] [&_.cm-scroller]:min-h-36"
        />
        <div className="flex flex-wrap items-center gap-2">
          {run.state === 'running' ? (
            <Button kind="secondary" icon={Square} onClick={cancel}>
              Cancel
            </Button>
          ) : (
            <Button kind="primary" icon={Play} disabled={sql.trim() === ''} onClick={() => submit(sql)}>
              Run <kbd className="font-mono text-tiny opacity-80 max-wide:hidden">Ctrl ↵</kbd>
            </Button>
          )}
          {engines.length > 1 && (
            <div className="w-44">
              <Select
                label="Engine"
                value={engine || OWN_ENGINE}
                onChange={(value) => changeQuery({ engine: value === OWN_ENGINE ? '' : value }, { replace: true })}
                options={engines.map((option) => ({ ...option, value: option.value || OWN_ENGINE }))}
              />
            </div>
          )}
          <Status run={run} />
          <span className="grow" />
          <Menu
            trigger={
              <Button icon={Download} disabled={rows === null || rows.length === 0}>
                Download
              </Button>
            }
            items={FILES.map(({ format, label }) => ({ label, onChoose: () => void takeAway(format) }))}
          />
          {mayPublish && (
            <Button
              icon={Braces}
              disabled={sql.trim() === ''}
              onClick={() => navigate({ to: '/endpoints/new', search: { query: sql } as never })}
            >
              Save as endpoint
            </Button>
          )}
        </div>
        <Tabs
          label="What came of it"
          tabs={tabs}
          open={query.tab ?? 'result'}
          onOpen={(tab) => changeQuery({ tab: tab === 'result' ? '' : tab }, { replace: true })}
        />
      </div>
    </>
  )
}

function remembered(run: Ended): Parameters<ReturnType<typeof useHistory>['remember']>[0] {
  const { sql } = run.asked
  const at = new Date().toISOString()
  return run.state === 'done'
    ? { sql, at, rows: run.answer.rows, ms: run.answer.ms, error: null }
    : { sql, at, rows: null, ms: null, error: run.problem.message }
}
