/** A page that is one long walk: all its scripts in one shell, each answer compared with the JSON right after it. */
import { expect } from 'vitest'
import type { Page } from './page.ts'
import type { World } from './world.ts'

const END = '__end of example__'

export async function walk(page: Page, world: World): Promise<string[]> {
  const steps: { script: string; expected?: unknown }[] = []
  for (const { language, text } of page.takeAll()) {
    if (language === 'sh') steps.push({ script: text })
    else steps.at(-1)!.expected = JSON.parse(text)
  }
  const script = steps.map((step) => `${step.script}\necho; echo '${END}'`).join('\n')
  const printed = (await world.sh(script)).split(END)
  expect(steps.length).toBeGreaterThan(5)
  for (const [i, step] of steps.entries()) {
    if (step.expected !== undefined) expect(JSON.parse(printed[i]!), step.script).toEqual(step.expected)
  }
  return printed
}
