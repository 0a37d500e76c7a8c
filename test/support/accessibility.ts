import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Nothing is wrong with a page for those who hear it, or use a keyboard, and nothing of it is beyond its edge. */
export async function checkAccessibility(t: Test, page: Page, what: string): Promise<void> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe)
  const violations = await page.evaluate<Violation[]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"
  )
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)
  )
  t.strictSame(faults, [], what)
  const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  t.equal(beyond, 0, `${what}: no wider than the window`)
}
