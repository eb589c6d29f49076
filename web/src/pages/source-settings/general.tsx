/** What a source is, how long it keeps events, and how it is searched. */
import { Card } from '../../design/card.tsx'
import { CopyButton } from '../../design/code-block.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'
import { bytes, exactCount } from '../../design/numbers.ts'
import type { Draft } from './draft.ts'
import { HomeFact, HomeSetting } from './home.tsx'
import { RetentionWarning } from './retention-warning.tsx'
import { LqlSetting, NumberSetting, SwitchSetting, TextSetting } from './settings.tsx'

export function General({ draft }: { draft: Draft }) {
  const { source } = draft
  return (
    <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="About">
          <div className="flex flex-col gap-4 p-4">
            <TextSetting
              draft={draft}
              name="name"
              label="Name"
              isData
              isRequired
              help="Senders that name the source and queries that read it use this name; after a change they must use the new one."
            />
            <TextSetting draft={draft} name="description" label="Description" rows={2} />
            <div className="grid gap-4 sm:grid-cols-2">
              <TextSetting
                draft={draft}
                name="service_name"
                label="Service"
                help="Sources of one service stand together."
              />
              <TextSetting
                draft={draft}
                name="labels"
                label="Labels"
                isData
                placeholder="team=shop,env=prod"
                help="key=value, separated by commas."
              />
            </div>
            <SwitchSetting
              draft={draft}
              name="favorite"
              label="Favourite"
              help="Stands first in the list of sources."
            />
          </div>
        </Card>
        <Card title="Keeping">
          <div className="flex flex-col gap-4 p-4">
            <NumberSetting
              draft={draft}
              name="retention_days"
              label="Retention in days"
              min={1}
              max={3650}
              help="1 to 3650. Older events are deleted, and refused when they are sent."
            />
            <RetentionWarning draft={draft} />
            <HomeSetting draft={draft} />
            <SwitchSetting
              draft={draft}
              name="lock_schema"
              label="Lock the schema"
              help="No new fields: values of unknown fields are kept as text under _unlisted."
            />
          </div>
        </Card>
        <Card title="Searching">
          <div className="flex flex-col gap-4 p-4">
            <LqlSetting
              draft={draft}
              name="default_search_lql"
              label="Default search"
              placeholder="m.level:error"
              help="What a search of this source begins with."
            />
            <TextSetting
              draft={draft}
              name="suggested_keys"
              label="Suggested keys"
              isData
              placeholder="m.request_id, m.project!"
              help="Fields that searches should name, separated by commas. With ! behind it, a search without the field is refused."
            />
          </div>
        </Card>
      </div>
      <Card title="Facts">
        <div className="px-4 pt-1 pb-3">
          <KeyValueList
            items={[
              {
                key: 'Token',
                value: (
                  <span className="flex items-start gap-1">
                    <span className="min-w-0 font-mono text-small break-all">{source.token}</span>
                    <CopyButton text={source.token} label="Copy the token of the source" />
                  </span>
                ),
              },
              { key: 'Lives in', value: <HomeFact source={source} /> },
              { key: 'Events', value: exactCount(source.metrics.total) },
              { key: 'On disk', value: bytes(source.metrics.bytes) },
              { key: 'Fields', value: exactCount(source.metrics.fields) },
              { key: 'Created', value: <Time at={source.inserted_at} /> },
              { key: 'Changed', value: <Time at={source.updated_at} /> },
            ]}
          />
        </div>
      </Card>
    </div>
  )
}

const Time = ({ at }: { at: string }) => <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')} UTC</time>
