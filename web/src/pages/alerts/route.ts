import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/alerts', title: 'Alerts', frame: 'shell', load: () => import('./page.tsx') },
]
