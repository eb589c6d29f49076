import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/key-values', title: 'Key-values', frame: 'shell', load: () => import('./page.tsx') },
]
