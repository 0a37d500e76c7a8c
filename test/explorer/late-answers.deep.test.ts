import type { Page } from 'playwright-core'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(120_000)

/** Holds back the requests of a method for a path. What it gives lets them go, and waits until the page has their answers. */
async function hold(page: Page, verb: string, path: string): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === verb) await released
    await route.continue()
  })
  return async () => {
    const answered = page.waitForResponse(
      (message) => message.url().endsWith(path) && message.request().method() === verb
    )
    release()
    await (await answered).finished()
    // What the page does with it.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    await page.unroute(`**${path}`)
  }
}

const answer = (page: Page) => page.getByLabel('Body of the answer').innerText()
const openList = (page: Page) => page.getByRole('navigation').getByRole('link', { name: '/loose', exact: true }).click()

t.test('an answer that comes when its view is gone', { skip: howToInstall }, async (t) => {
  const { app, address } = await openSite(t)
  const loose = app.service('loose')
  await loose.create({ name: 'Ada' })
  await loose.create({ name: 'Bob' })
  const page = await openExplorer(t, address)
  await page.getByText('1–10 of 12').waitFor()

  await t.test('is not shown beside another request', async (t) => {
    await openList(page)
    await page.getByText('1–2 of 2').waitFor()
    const release = await hold(page, 'GET', '/loose/1')
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.locator('.record').waitFor({ state: 'attached' })
    await openList(page)
    await page.getByText('1–2 of 2').waitFor()
    await eventually(t).match(() => answer(page), 'Bob')
    await release()
    await eventually(t).match(() => answer(page), 'Bob')
  })

  await t.test('of a form keeps no other answer from being shown', async (t) => {
    const release = await hold(page, 'GET', '/loose/1')
    const asked = page.waitForRequest(`${address}/loose/1`)
    await page.evaluate(`location.hash = '#/loose?call=patch&id=1'`)
    await asked
    await openList(page)
    await page.getByText('1–2 of 2').waitFor()
    await eventually(t).match(() => answer(page), 'Bob')
    await release()
  })

  await t.test('takes nobody back', async (t) => {
    const release = await hold(page, 'DELETE', '/loose/1')
    await page.evaluate(`location.hash = '#/loose?call=remove&id=1'`)
    const asked = page.waitForRequest((message) => message.method() === 'DELETE')
    await page.getByRole('button', { name: 'Remove' }).click()
    await asked
    await page.evaluate(`location.hash = '#/posts?call=create'`)
    await page.getByLabel('title').fill('Being written')
    await release()
    await eventually(t).equal(() => page.getByLabel('title').inputValue(), 'Being written')
    await eventually(t).equal(() => page.evaluate('location.hash'), '#/posts?call=create')
    await eventually(t).equal(() => page.locator('#status').count(), 0)
  })
})
