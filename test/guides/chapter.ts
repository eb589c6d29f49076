/** How the examples of one page are tried: `follow` takes all of them, and fails when one does not do what the page says. */
import type { Page } from './page.ts'
import type { World } from './world.ts'

export type Chapter = {
  page: string
  /** False where this machine lacks what the page is about. */
  canRun?: boolean
  follow(page: Page, world: World): Promise<void> | void
}
