import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/search', title: 'Search', frame: 'shell', load: () => import('./picker.tsx') },
  { path: '/sources/$token/search', title: 'Search', frame: 'shell', load: () => import('./page.tsx') },
  { path: '/sources/$token/events/$id', title: 'Event', frame: 'shell', load: () => import('./event-page.tsx') },
]
