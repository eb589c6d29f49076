/** The versions of an endpoint: who changed what, how it differs from today's, and the way back. */
import { RotateCcw } from 'lucide-react'
import { useRestoreVersion, useVersion, useVersions } from '../../api/endpoints.ts'
import type { EndpointRecord, EndpointVersion } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { classes } from '../../design/classes.ts'
import { ago } from '../../design/numbers.ts'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { DefinitionDiff } from './definition-diff.tsx'

export function Versions({ endpoint }: { endpoint: EndpointRecord }) {
  const versions = useVersions(endpoint.token)
  const [query, changeQuery] = useQueryTexts()
  if (versions.isPending) return <Loading label="Loading the versions" />
  if (versions.isError)
    return <ErrorState error={versions.error} onRetry={() => versions.refetch()} isRetrying={versions.isFetching} />
  const chosen = Number(query.version ?? endpoint.version)
  return (
    <div className="grid min-w-0 items-start gap-4 wide:grid-cols-[300px_minmax(0,1fr)]">
      <Card title="Versions">
        <ul className="max-h-[60vh] overflow-y-auto">
          {versions.data.map((version) => (
            <li key={version.version} className="border-b border-line last:border-b-0">
              <VersionButton
                version={version}
                isChosen={version.version === chosen}
                isCurrent={version.version === endpoint.version}
                onChoose={() => changeQuery({ version: String(version.version) }, { replace: true })}
              />
            </li>
          ))}
        </ul>
      </Card>
      <Chosen endpoint={endpoint} version={chosen} />
    </div>
  )
}

type ButtonProps = { version: EndpointVersion; isChosen: boolean; isCurrent: boolean; onChoose(): void }

function VersionButton({ version: { version, at, author, changes }, isChosen, isCurrent, onChoose }: ButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classes(
        'flex w-full flex-col gap-0.5 px-3 py-2 text-left focus-visible:-outline-offset-2',
        isChosen ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <span className="flex items-center gap-2">
        <span className="font-medium">Version {version}</span>
        {isCurrent && <Badge tone="accent">current</Badge>}
        <time dateTime={at} title={at} className="grow text-right text-small text-soft">
          {ago(at, Date.now())}
        </time>
      </span>
      <span className="truncate text-small text-soft">
        {author}
        {changes.length > 0 && ` · ${changes.join(', ')}`}
      </span>
    </button>
  )
}

/** The current version is compared with the one before it, an older one with the current. */
function Chosen({ endpoint, version }: { endpoint: EndpointRecord; version: number }) {
  const isCurrent = version === endpoint.version
  const other = isCurrent ? Math.max(1, version - 1) : endpoint.version
  const left = useVersion(endpoint.token, Math.min(version, other))
  const right = useVersion(endpoint.token, Math.max(version, other))
  const mayChange = useMay('member')
  const restore = useRestoreVersion(endpoint.token)
  const say = useToast()
  const [, changeQuery] = useQueryTexts()
  if (left.isError) return <ErrorState error={left.error} onRetry={() => left.refetch()} />
  if (right.isError) return <ErrorState error={right.error} onRetry={() => right.refetch()} />
  if (left.isPending || right.isPending) return <Loading label="Loading the version" />
  const onRestored = (saved: EndpointRecord): void => {
    say(`Version ${version} is back, as version ${saved.version}.`)
    changeQuery({ version: '' }, { replace: true })
  }
  return (
    <Card
      title={
        left.data.version === right.data.version
          ? `Version ${version}`
          : `Version ${left.data.version} → ${right.data.version}`
      }
      actions={
        !isCurrent &&
        mayChange && (
          <Button
            size="small"
            icon={RotateCcw}
            isBusy={restore.isPending}
            onClick={() =>
              restore.mutate(version, { onSuccess: onRestored, onError: (error) => say(sentenceOfError(error), 'bad') })
            }
          >
            Restore version {version}
          </Button>
        )
      }
    >
      <DefinitionDiff before={left.data} after={right.data} />
    </Card>
  )
}
