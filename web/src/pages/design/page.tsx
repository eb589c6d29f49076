/** Every component of the design language in its states, for those who build pages. No link leads here. */
import { sql } from '@codemirror/lang-sql'
import { Inbox, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Problem } from '../../api/request.ts'
import { Badge, LevelBadge } from '../../design/badge.tsx'
import { Button, IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Drawer } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { Select } from '../../design/select.tsx'
import { Sparkline } from '../../design/sparkline.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { useTheme } from '../../design/theme.ts'
import { useToast } from '../../design/toast.tsx'
import { Checkbox, Switch } from '../../design/toggle.tsx'
import { Editor } from '../../editor/editor.tsx'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical']
const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark', hint: 'for the night' },
] as const
const SQL = sql()

export function Page() {
  return (
    <main className="mx-auto max-w-5xl pb-12">
      <PageHeader title="Design" description="Every component, in its states." />
      <div className="grid gap-4 px-4 wide:grid-cols-2 wide:px-6">
        <Buttons />
        <Inputs />
        <Windows />
        <Data />
        <Sample title="Editor">
          <EditorSample />
        </Sample>
        <Sample title="Loading">
          <Loading rows={3} />
        </Sample>
        <Card title="Empty">
          <EmptyState icon={Inbox} title="Nothing here yet" action={<Button icon={Plus}>Make one</Button>}>
            What this is, and how to get one.
          </EmptyState>
        </Card>
        <Card title="Failed">
          <ErrorState error={new Problem(503, 'The service is shutting down. Try again shortly.')} onRetry={() => {}} />
        </Card>
      </div>
    </main>
  )
}

function Sample({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card title={title}>
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </Card>
  )
}

function Buttons() {
  return (
    <Sample title="Buttons and badges">
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary">Primary</Button>
        <Button>Secondary</Button>
        <Button kind="quiet">Quiet</Button>
        <Button kind="danger">Danger</Button>
        <Button isBusy>Busy</Button>
        <Button size="small" icon={Plus}>
          Small
        </Button>
        <IconButton icon={Trash2} label="Delete" />
      </div>
      <div className="flex flex-wrap gap-2">
        <Badge>plain</Badge>
        <Badge tone="accent">accent</Badge>
        <Badge tone="good">good</Badge>
        <Badge tone="warn">warn</Badge>
        <Badge tone="danger">danger</Badge>
      </div>
      <div className="flex flex-wrap gap-2">
        {LEVELS.map((level) => (
          <LevelBadge key={level} level={level} />
        ))}
      </div>
    </Sample>
  )
}

function Inputs() {
  const [theme, setTheme] = useTheme()
  const [isOn, setOn] = useState(true)
  return (
    <Sample title="Inputs">
      <Field label="Name" help="A line of help." error="has already been taken">
        <TextInput defaultValue="my-app" isData />
      </Field>
      <Field label="Theme">
        <Select value={theme} onChange={setTheme} options={THEMES} />
      </Field>
      <Field label="Rules" isOptional>
        <TextArea isData rows={2} placeholder="one a line" />
      </Field>
      <Switch label="Lock the schema" help="Unknown fields are kept as text." isOn={isOn} onChange={setOn} />
      <Checkbox label="Also old ones" isOn={isOn ? 'some' : false} onChange={setOn} />
    </Sample>
  )
}

function Windows() {
  const [open, setOpen] = useState<'drawer' | 'confirm' | null>(null)
  const say = useToast()
  const close = (): void => setOpen(null)
  return (
    <Sample title="Windows">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen('drawer')}>Drawer</Button>
        <Button onClick={() => setOpen('confirm')}>Confirm</Button>
        <Button onClick={() => say('Saved.')}>Good news</Button>
        <Button onClick={() => say('The name has already been taken.', 'bad')}>Bad news</Button>
      </div>
      <Tabs
        label="Samples"
        tabs={[
          { id: 'tree', label: 'Tree', content: 'The first tab.' },
          { id: 'json', label: 'JSON', count: 12, content: 'The second tab.' },
        ]}
      />
      <Drawer isOpen={open === 'drawer'} onClose={close} title="Event" description="One thing, looked at closely.">
        <KeyValueList items={[{ key: 'id', value: '01a1e087', copy: '01a1e087' }]} />
      </Drawer>
      <ConfirmDialog
        isOpen={open === 'confirm'}
        onClose={close}
        title="Delete my-app?"
        action="Delete source"
        nameToType="my-app"
        onConfirm={close}
      >
        All its events are deleted with it. They cannot be brought back.
      </ConfirmDialog>
    </Sample>
  )
}

function Data() {
  return (
    <Sample title="Data">
      <KeyValueList
        items={[
          { key: 'Token', value: <code className="font-mono">d591520f-20e8</code>, copy: 'd591520f-20e8' },
          { key: 'Rate', value: <Sparkline values={[1, 4, 2, 8, 5, 9, 3, 6]} label="Rate" /> },
        ]}
      />
      <CodeBlock label="answer" code={'{"message":"Logged!"}'} />
    </Sample>
  )
}

function EditorSample() {
  const [lql, setLql] = useState('m.level:error timeout')
  const [query, setQuery] = useState("select count(*) from `my-app`\nwhere timestamp > '2026-01-01' -- since then")
  return (
    <>
      <Editor label="Search" value={lql} onChange={setLql} isSingleLine placeholder="Search …" />
      <Editor label="SQL" value={query} onChange={setQuery} extensions={SQL} className="min-h-24" />
    </>
  )
}
