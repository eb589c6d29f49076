import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [{ path: '/team', title: 'Team', frame: 'shell', load: () => import('./page.tsx') }]
