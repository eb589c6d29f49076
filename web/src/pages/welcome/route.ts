import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/welcome', title: 'Welcome', frame: 'bare', load: () => import('./page.tsx') },
]
