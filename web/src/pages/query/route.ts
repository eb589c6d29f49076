import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [{ path: '/query', title: 'SQL', frame: 'shell', load: () => import('./page.tsx') }]
