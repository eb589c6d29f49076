import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/system', title: 'System', frame: 'shell', load: () => import('./page.tsx') },
]
