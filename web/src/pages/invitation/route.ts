import type { PageRoute } from '../../shell/page-route.ts'

export const routes: PageRoute[] = [
  { path: '/accept-invitation', title: 'Invitation', frame: 'bare', load: () => import('./page.tsx') },
]
