import type { EndpointRecord } from '../../api/records.ts'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { snippetsFor } from './snippets.ts'
import { useValues } from './values.ts'

export function CallPanel({ endpoint }: { endpoint: EndpointRecord }) {
  const [values] = useValues(endpoint.parameters)
  return (
    <div className="grid min-w-0 gap-4 wide:grid-cols-2">
      {snippetsFor(endpoint, { address: window.location.origin, values }).map(({ id, label, lead, code }) => (
        <Card key={id} title={label}>
          <div className="flex flex-col gap-2 p-3">
            <p className="text-soft">{lead}</p>
            <CodeBlock code={code} label={`${label} example`} isWrapped />
          </div>
        </Card>
      ))}
    </div>
  )
}
