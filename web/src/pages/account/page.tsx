/** Oneself: name, password, looks, browsers; and the account one belongs to. */
import { useSession } from '../../api/client.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { AccountCard } from './account-card.tsx'
import { BrowsersCard } from './browsers-card.tsx'
import { LooksCard } from './looks-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { ProfileCard } from './profile-card.tsx'

export function Page() {
  const session = useSession().data
  // The frame shows this page only to somebody who is logged in.
  if (!session) return null
  const { user } = session
  return (
    <>
      <PageHeader title="Your account" description={`${user.email} · ${user.role}`} />
      <div className="flex flex-col gap-4 px-4 pb-8 wide:px-6">
        <div className="grid items-start gap-4 wide:grid-cols-2">
          <div className="flex flex-col gap-4">
            <ProfileCard user={user} />
            <LooksCard />
            <AccountCard />
          </div>
          <PasswordCard userId={user.id} />
        </div>
        <BrowsersCard userId={user.id} />
      </div>
    </>
  )
}
