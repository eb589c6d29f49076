import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/reset-password', title: 'New password', frame: 'bare', load: () => import('./page.tsx') },
]
