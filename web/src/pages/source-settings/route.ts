import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/sources/$token/settings', title: 'Source settings', frame: 'shell', load: () => import('./page.tsx') },
]
