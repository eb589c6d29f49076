import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/backends', title: 'Backends', frame: 'shell', load: () => import('./page.tsx') },
]
