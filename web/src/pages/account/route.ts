import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/account', title: 'Your account', frame: 'shell', load: () => import('./page.tsx') },
]
