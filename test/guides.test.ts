/** Every example of the guides is run, or used as its reader would use it, and does what the guide says. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chapter } from './guides/chapter.ts'
import { act } from './guides/chapters/act.ts'
import { look } from './guides/chapters/look.ts'
import { reference } from './guides/chapters/reference.ts'
import { run } from './guides/chapters/run.ts'
import { start } from './guides/chapters/start.ts'
import { openPage, pagesWithExamples } from './guides/page.ts'
import { openWorld, type World } from './guides/world.ts'

const chapters: Chapter[] = [...start, ...look, ...act, ...run, ...reference]

let world: World
beforeAll(async () => {
  world = await openWorld()
}, 90_000)
afterAll(() => world?.stop())

for (const { page: path, canRun = true, follow } of chapters) {
  test.skipIf(!canRun)(`the examples of ${path}`, { timeout: 120_000 }, async () => {
    const page = openPage(path)
    await follow(page, world)
    expect(page.left(), 'not run, and without a remark that says why').toEqual([])
  })
}

test('no page with examples is left out', () => {
  expect(pagesWithExamples().sort()).toEqual(chapters.map(({ page }) => page).sort())
})
