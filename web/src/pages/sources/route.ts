import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/sources', title: 'Sources', frame: 'shell', load: () => import('./page.tsx') },
]
