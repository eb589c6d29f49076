import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/backends/$token', title: 'Backend', frame: 'shell', load: () => import('./page.tsx') },
]
