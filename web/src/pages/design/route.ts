import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/design', title: 'Design', frame: 'bare', load: () => import('./page.tsx') },
]
