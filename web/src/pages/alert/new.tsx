/** A new alert; `?query=` brings its query along. */
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/role.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { AlertForm } from './alert-form.tsx'

export function Page() {
  const [query] = useQueryTexts()
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  return (
    <>
      <PageHeader title="New alert" description="A query that runs by itself, and tells when it finds something." />
      <div className="px-4 pb-8 wide:px-6">
        {mayWrite ? (
          <AlertForm
            alert={null}
            query={query.query ?? ''}
            onSaved={({ token }) => navigate({ to: `/alerts/${token}` })}
          />
        ) : (
          <p className="text-soft">To make an alert you need the role member.</p>
        )}
      </div>
    </>
  )
}
