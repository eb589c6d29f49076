/**
 * A page, declared in `pages/<name>/route.ts` as `export const routes: PageRoute[]`. The shell collects these files by
 * themselves; nothing else has to be touched to add a page. The page itself is loaded when it is first opened.
 */
import type { ComponentType } from 'react'

export type PageRoute = {
  /** `$name` stands for a parameter: `/sources/$token/search`. */
  path: string
  /** Of the browser's window. A page that knows better calls `useTitle`. */
  title: string
  /** `shell`: with navigation, for people who are logged in. `bare`: the page alone, for everybody. */
  frame: 'shell' | 'bare'
  load(): Promise<{ Page: ComponentType }>
}
