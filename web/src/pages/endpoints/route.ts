import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/endpoints', title: 'Endpoints', frame: 'shell', load: () => import('./page.tsx') },
]
