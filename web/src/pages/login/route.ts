import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/login', title: 'Log in', frame: 'bare', load: () => import('./page.tsx') },
]
