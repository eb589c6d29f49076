import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/sources/$token/send', title: 'Send events', frame: 'shell', load: () => import('./page.tsx') },
]
