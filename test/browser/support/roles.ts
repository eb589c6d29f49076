/** Windows of people with other roles than the owner's. */
import type { Look, Web, WebPage } from './web.ts'

type Role = 'viewer' | 'member' | 'admin'

/** A person with this role, made and logged in. */
export async function loggedInAs(web: Web, role: Role, look?: Look): Promise<WebPage> {
  // The first person must be the owner.
  await (await web.owner()).context().close()
  const invited = await web.service.fetch('/api/invitations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${role}@example.com`, role }),
  })
  const { token } = (await invited.json()) as { token: string }
  const page = await web.visitor(look)
  const accepted = await page.context().request.post('/api/invitations/accept', {
    data: { token, name: role, password: 'a long enough password' },
  })
  if (!accepted.ok()) throw new Error(`the ${role} cannot log in: ${await accepted.text()}`)
  return page
}
