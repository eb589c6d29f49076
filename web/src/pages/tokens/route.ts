import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/tokens', title: 'Tokens', frame: 'shell', load: () => import('./page.tsx') },
]
