/** Asks axe, the usual checker of accessibility, what stands in the way of people who do not use eyes and mouse. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

type Finding = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical findings on what is shown now, one line each. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const findings = await page.evaluate<Finding[]>('axe.run().then((result) => result.violations)')
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`))
}
