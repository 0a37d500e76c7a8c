import type { Page } from 'playwright-core'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openBoard } from './board.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(120_000)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const go = (page: Page, hash: string) => page.evaluate(`location.hash = '${hash}'`)
const request = (page: Page) => page.locator('#code').innerText()

t.test('the page says nothing that is not so', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.getByText('1–10 of 12').waitFor()

  await t.test('a server that does not answer leaves no older answer, and can be asked again', async (t) => {
    await page.route('**/posts?*', (route) => route.abort())
    await button(page, 'Next').click()
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await eventually(t).equal(() => page.locator('#status').innerText(), 'No answer')
    await eventually(t).equal(() => page.getByLabel('Body of the answer').count(), 0)
    await page.unroute('**/posts?*')
    await button(page, 'Try again').click()
    await page.getByText('11–12 of 12').waitFor()
    await eventually(t).match(() => page.locator('#status').innerText(), /^200 OK/)
  })

  await t.test('a place that does not exist has no request', async (t) => {
    await go(page, '#/nowhere')
    await page.getByText('There is nothing here.').waitFor()
    await eventually(t).equal(() => request(page), 'There is no request here.')
    await eventually(t).equal(() => page.locator('#status').count(), 0)
    await button(page, 'Copy').click()
    await eventually(t).equal(() => request(page), 'There is no request here.')
    await link(page, 'Go to /posts').click()
    await page.getByText('1–10 of 12').waitFor()
  })

  await t.test('another condition leaves the lines of the table where they are', async (t) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    const cells = page.locator('tbody tr:nth-child(4) td')
    const places = async () =>
      (await cells.evaluateAll((all) =>
        all.map((cell) => (cell as unknown as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top)
      )) as number[]
    await button(page, 'Add a condition').click()
    const [first, ...others] = await places()
    t.ok(others.every((top) => top === first))
    // The first column stays in place as the table is moved. Collapsed borders do not.
    await eventually(t).equal(
      () => page.evaluate(`getComputedStyle(document.querySelector('table')).borderCollapse`),
      'separate'
    )
  })

  await t.test('methods are called as people write, and a body that nobody describes is explained', async () => {
    await go(page, '#/posts?call=get&id=1')
    await link(page, 'Publish').click()
    await page.getByText('leave it empty to send nothing').waitFor()
    await button(page, 'Publish').waitFor()
  })

  await t.test('a removal shows what goes', async () => {
    await go(page, '#/posts?call=remove&id=3')
    await page.getByText('This removes the record 3').waitFor()
    await page.getByRole('definition').getByText('Post 3', { exact: true }).waitFor()
  })

  await t.test('what is typed is there again, until it is sent, cancelled or begun anew', async (t) => {
    const title = page.getByLabel('title')
    const write = async () => {
      await go(page, '#/posts?call=create')
      await title.fill('Half a thought')
    }
    await write()
    await page.getByRole('navigation').getByRole('link', { name: '/loose' }).click()
    await page.getByText('There are no records.').waitFor()
    await go(page, '#/posts?call=create')
    await page.getByText('What you typed here before is still in the form.').waitFor()
    await eventually(t).equal(() => title.inputValue(), 'Half a thought')
    await eventually(t).match(() => request(page), 'Half a thought')
    await button(page, 'Start anew').click()
    await eventually(t).equal(() => title.inputValue(), '')
    await write()
    await link(page, 'Cancel').click()
    await link(page, 'Create').click()
    await eventually(t).equal(() => title.inputValue(), '')
    await title.fill('Sent')
    await button(page, 'Create').click()
    await page.getByText('Created. 201 Created').waitFor()
    await button(page, 'Create another').click()
    await eventually(t).equal(() => title.inputValue(), '')
  })
})

t.test('what a call has created is shown as it came', { skip: howToInstall }, async (t) => {
  const page = await openExplorer(t, await openBoard(t))

  await t.test('to somebody who may not read it, as after a sign-up', async (t) => {
    await go(page, '#/users?call=create')
    await page.getByLabel('email').fill('bob@example.com')
    await page.getByLabel('password').fill('a long secret')
    await button(page, 'Create').click()
    await page.getByText('Created. 201 Created').waitFor()
    await page.getByRole('definition').getByText('bob@example.com').waitFor()
    await eventually(t).match(() => page.locator('#status').innerText(), /^201 Created/)
    await eventually(t).equal(() => page.getByRole('alert').count(), 0)
  })

  await t.test('by a service that has no get', async (t) => {
    await go(page, '#/messages?call=create')
    await page.getByLabel('text').fill('Hello')
    await button(page, 'Create').click()
    await page.getByText('Created. 201 Created').waitFor()
    await page.getByRole('definition').getByText('Hello').waitFor()
    await eventually(t).equal(() => link(page, 'Open the record').count(), 0)
  })
})
