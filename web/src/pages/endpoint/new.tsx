/** A new endpoint; `?query=` brings its query along. */
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/role.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { EndpointForm } from './endpoint-form.tsx'

export function Page() {
  const [query] = useQueryTexts()
  const navigate = useNavigate()
  const mayPublish = useMay('member')
  return (
    <>
      <PageHeader title="New endpoint" description="Publish a query under an address of its own." />
      <div className="px-4 pb-8 wide:px-6">
        {mayPublish ? (
          <EndpointForm
            endpoint={null}
            query={query.query ?? ''}
            onSaved={({ token }) => navigate({ to: `/endpoints/${token}` })}
          />
        ) : (
          <p className="text-soft">To publish a query you need the role member.</p>
        )}
      </div>
    </>
  )
}
