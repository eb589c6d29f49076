/** All pages, collected from their folders, with the frame each of them asks for. */
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { readQuery, showTitle, writeQuery } from './address.ts'
import { Broken } from './broken.tsx'
import { ComingPage } from './coming.tsx'
import { Frame } from './frame.tsx'
import { NAVIGATION } from './navigation.ts'
import { Home, NotFound } from './not-found.tsx'
import type { PageRoute } from './page-route.ts'
import { Waiting } from './waiting.tsx'

const declared = import.meta.glob<{ routes: PageRoute[] }>('../pages/*/route.ts', { eager: true })

function createPages() {
  const pages = Object.values(declared).flatMap(({ routes }) => routes)
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })
  const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Frame })

  const routeOf = (page: PageRoute, parent: AnyRoute): AnyRoute =>
    createRoute({
      getParentRoute: () => parent,
      path: page.path,
      component: lazyRouteComponent(page.load, 'Page'),
      onEnter: () => showTitle(page.title),
    })
  const comingOf = (item: (typeof NAVIGATION)[number]): AnyRoute =>
    createRoute({ getParentRoute: () => shell, path: item.path, component: () => <ComingPage item={item} /> })

  const within = pages.filter(({ frame }) => frame === 'shell').map((page) => routeOf(page, shell))
  const missing = NAVIGATION.filter(({ path }) => !pages.some((page) => page.path === path)).map(comingOf)
  const home = createRoute({ getParentRoute: () => root, path: '/', component: Home })
  const bare = pages.filter(({ frame }) => frame === 'bare').map((page) => routeOf(page, root))

  return createRouter({
    routeTree: root.addChildren([home, ...bare, shell.addChildren([...within, ...missing])]),
    defaultPreload: 'intent',
    defaultErrorComponent: Broken,
    defaultPendingComponent: Waiting,
    scrollRestoration: true,
    parseSearch: readQuery,
    stringifySearch: writeQuery,
  })
}

const router = createPages()

export function Pages() {
  return <RouterProvider router={router} />
}
