import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/alerts/new', title: 'New alert', frame: 'shell', load: () => import('./new.tsx') },
  { path: '/alerts/$token', title: 'Alert', frame: 'shell', load: () => import('./page.tsx') },
]
