/** The rules that events pass on their way in, beside what they would do to an event. */
import { Card } from '../../design/card.tsx'
import type { Draft } from './draft.ts'
import { PreviewPanel } from './preview-panel.tsx'
import { LqlSetting, TextSetting } from './settings.tsx'

const Code = ({ children }: { children: string }) => <code className="font-mono text-text">{children}</code>

export function Pipeline({ draft }: { draft: Draft }) {
  return (
    <div className="grid items-start gap-4 wide:grid-cols-2">
      <Card title="Rules, in the order they run">
        <div className="flex flex-col gap-4 p-4">
          <p className="text-small text-soft">
            One rule a line; lines that begin with # are notes. <Code>m.</Code> stands for <Code>metadata.</Code>
          </p>
          <TextSetting
            draft={draft}
            name="transform_copy_fields"
            label="Copy fields"
            isData
            rows={4}
            placeholder={'m.request.path:path\nm.user.id:user_id'}
            help={
              <>
                <Code>from:to</Code> writes the value of one field to another.
              </>
            }
          />
          <TextSetting
            draft={draft}
            name="transform_key_values"
            label="Enrich with key-values"
            isData
            rows={3}
            placeholder="m.user.id:customer:org.name"
            help={
              <>
                <Code>field:to</Code> or <Code>field:to:accessor</Code> looks the value up in the key-values and writes
                what it finds, or the part at the accessor.
              </>
            }
          />
          <TextSetting
            draft={draft}
            name="transform_drop_fields"
            label="Drop fields"
            isData
            rows={3}
            placeholder={'m.password\nm.headers.cookie'}
            help="These fields are never stored. The rules above can still read them."
          />
          <TextSetting
            draft={draft}
            name="custom_event_message_keys"
            label="Message from fields"
            isData
            placeholder="id, event_message, m.request.path"
            help="Fields whose values make the message, separated by commas and joined with |."
          />
          <LqlSetting
            draft={draft}
            name="drop_lql_string"
            label="Drop events"
            placeholder="m.level:debug"
            help="Events that this search would find are not stored. Their sender gets a success."
          />
        </div>
      </Card>
      <div className="min-w-0 wide:sticky wide:top-4">
        <PreviewPanel draft={draft} />
      </div>
    </div>
  )
}
