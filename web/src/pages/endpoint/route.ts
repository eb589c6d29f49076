import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/endpoints/new', title: 'New endpoint', frame: 'shell', load: () => import('./new.tsx') },
  { path: '/endpoints/$token', title: 'Endpoint', frame: 'shell', load: () => import('./page.tsx') },
]
