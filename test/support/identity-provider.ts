/** A real OpenID Connect provider on this machine. Anybody can log in there as anybody; what they are is told by `claims`. */
import { createServer, type RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'

export type IdentityProvider = {
  issuer: string
  /** Makes it know the client; before that nobody is asked. */
  register(client: { clientId: string; clientSecret: string; redirectUri: string }): void
  /** What a browser does from the provider's address on: logs in and agrees. Answers where it is sent at last. */
  logIn(start: string, subject: string): Promise<string>
  stop(): Promise<void>
}

type ClaimsOf = (subject: string) => { email?: string; email_verified?: boolean; name?: string }

export async function startIdentityProvider(claimsOf: ClaimsOf): Promise<IdentityProvider> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('no port')
  const issuer = `http://127.0.0.1:${address.port}`

  return {
    issuer,
    register({ clientId, clientSecret, redirectUri }) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
        claims: { email: ['email', 'email_verified'], profile: ['name'] },
        cookies: { keys: ['of the tests'] },
        pkce: { required: () => true },
        findAccount: (_context: unknown, subject: string) => ({
          accountId: subject,
          claims: async () => ({ sub: subject, ...claimsOf(subject) }),
        }),
      })
      listener = provider.callback()
    },

    async logIn(start, subject) {
      const cookies = new Map<string, string>()
      let url = start
      let body: URLSearchParams | undefined
      for (let step = 0; step < 12; step++) {
        if (!url.startsWith(issuer)) return url
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(url, {
          redirect: 'manual',
          headers: { cookie },
          ...(body ? { method: 'POST', body } : {}),
        })
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          if (name !== undefined && value !== undefined) cookies.set(name, value)
        }
        const next = answer.headers.get('location')
        const page = await answer.text()
        if (next) {
          url = new URL(next, url).href
          body = undefined
        } else {
          const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
          if (!prompt) throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 500)}`)
          body = new URLSearchParams({ prompt, login: subject, password: 'any' })
        }
      }
      throw new Error('the provider never sent the browser back')
    },

    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
