import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(120_000)

/** Holds back the answers to some requests until `release` is called. */
async function hold(page: Page, url: string, verb = 'GET') {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let count = 0
  await page.route(url, async (route) => {
    if (route.request().method() !== verb) return route.continue()
    count++
    await held
    await route.continue().catch(() => {})
  })
  return { release, count: () => count }
}

/** A page whose clock goes on when the test says so. */
async function openPage(t: Test): Promise<{ page: Page; address: string }> {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.getByText('1–10 of 12').waitFor()
  await page.clock.install()
  return { page, address }
}

t.test(
  'a list that takes long shows rows in grey, says so, and can be cancelled',
  { skip: howToInstall },
  async (t) => {
    const { page } = await openPage(t)
    await page.getByRole('button', { name: 'Request' }).click()
    await hold(page, '**/loose')
    await page.getByRole('navigation').getByRole('link', { name: '/loose' }).click()
    await page.locator('#main > .records[aria-busy]:empty').waitFor()
    t.equal(((await page.locator('#main > .records').boundingBox())?.height ?? 0) > 200, true)
    await page.clock.runFor(2400)
    await page.getByText('Waiting for the server…').waitFor()
    await page.getByText('2 s', { exact: true }).waitFor()
    const cancel = page.getByRole('button', { name: 'Cancel the request' })
    t.equal(await cancel.isVisible(), false)
    await page.clock.runFor(4000)
    await cancel.click()
    await page.getByRole('alert').getByText('The request was cancelled.').waitFor()
    await page.getByRole('button', { name: 'Request' }).click()
    await eventually(t).equal(() => page.locator('#status').innerText(), 'Cancelled')
    await page.unroute('**/loose')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('There are no records.').waitFor()
  }
)

t.test('a form that is sent shows so, and is sent once', { skip: howToInstall }, async (t) => {
  const { page } = await openPage(t)
  await page.evaluate(`location.hash = '#/posts?call=create'`)
  await page.getByLabel('title').fill('Once')
  const { release, count } = await hold(page, '**/posts', 'POST')
  const create = page.getByRole('button', { name: 'Create', exact: true })
  await create.click()
  await page.locator('form[aria-busy]').waitFor()
  t.match(
    await page.evaluate(`getComputedStyle(document.querySelector('#drawer .primary'), '::before').animationName`),
    'turn'
  )
  await create.click()
  await page.clock.runFor(1500)
  await page.getByText('Waiting for the server…').waitFor()
  release()
  await page.getByText('Created. 201 Created').waitFor()
  t.equal(count(), 1)
})

t.test('a document that takes long is waited for in words', { skip: howToInstall }, async (t) => {
  const { page, address } = await openPage(t)
  const { release } = await hold(page, '**/document.json')
  await page.goto(`${address}/explorer#/posts`)
  await page.reload({ waitUntil: 'commit' })
  await page.getByText('Reading the document…').waitFor()
  release()
  await page.clock.runFor(1000)
  await page.getByText('1–10 of').waitFor()
})
