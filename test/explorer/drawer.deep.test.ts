import type { Page } from 'playwright-core'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(180_000)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const heading = (page: Page) => page.locator('#drawer h2')
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.innerText || document.activeElement.value')
const openRow = (page: Page) => page.locator('#main [aria-current]').innerText()

t.test('a record and its form are beside their list', { skip: howToInstall }, async (t) => {
  const { app, address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.goto(`${address}/explorer#/posts?desc=words`)
  await page.getByRole('cell', { name: 'Post 12' }).waitFor()

  await t.test('arrows lead to the neighbours of the record', async (t) => {
    await link(page, '11').click()
    await page.getByRole('definition').getByText('Post 11', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Post 12' }).waitFor()
    await eventually(t).equal(() => focused(page), '/posts › 11')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('definition').getByText('Post 10', { exact: true }).waitFor()
    await eventually(t).equal(() => openRow(page), '10')
    await button(page, 'Previous record').click()
    await button(page, 'Previous record').click()
    await page.getByRole('definition').getByText('Post 12', { exact: true }).waitFor()
    t.ok(await button(page, 'Previous record').isDisabled())
    await page.goBack()
    await eventually(t).equal(() => openRow(page), '11')
    await page.getByRole('cell', { name: 'Post 8' }).click()
    await eventually(t).equal(() => openRow(page), '8')
    await page.goBack()
  })

  await t.test('a reload shows both', async () => {
    await page.reload()
    await page.getByRole('definition').getByText('Post 11', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Post 9' }).waitFor()
  })

  await t.test('a form begins in its first field, and the keys save it', async (t) => {
    await page.goto(`${address}/explorer#/posts`)
    await link(page, '3').click()
    await link(page, 'Edit').click()
    await eventually(t).equal(() => focused(page), 'Post 3')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Changed')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('definition').getByText('Changed').waitFor()
    await page.getByRole('cell', { name: 'Changed' }).waitFor()
    t.match(await app.service('posts').get(3), { title: 'Changed' })
  })

  await t.test('Escape closes it, asks before it forgets what is typed, and leads back to the row', async (t) => {
    await link(page, 'Edit').click()
    await eventually(t).equal(() => focused(page), 'Changed')
    await page.keyboard.type('Half')
    const answers = [false, true]
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message())
      await (answers.shift() === true ? dialog.accept() : dialog.dismiss())
    })
    await page.keyboard.press('Escape')
    await eventually(t).equal(async () => asked.length, 1)
    t.match(await page.getByLabel('title').inputValue(), 'Half')
    await page.keyboard.press('Escape')
    await heading(page).waitFor({ state: 'detached' })
    await eventually(t).equal(() => focused(page), '3')
    await page.keyboard.press('Enter')
    await link(page, 'Edit').click()
    await eventually(t).equal(() => page.getByLabel('title').inputValue(), 'Changed')
    await page.keyboard.press('Escape')
    await heading(page).waitFor({ state: 'detached' })
    t.strictSame(asked, ['Discard what you typed?', 'Discard what you typed?'])
  })

  await t.test('a slash leads to the conditions', async (t) => {
    await page.keyboard.press('/')
    await page.getByRole('group', { name: 'Condition 1' }).waitFor()
    await eventually(t).equal(() => page.evaluate('document.activeElement.ariaLabel'), 'Field')
  })

  await t.test('the list has what is created', async () => {
    await link(page, 'Create').click()
    await page.getByLabel('title').fill('New')
    await page.keyboard.press('Enter')
    await page.getByText('Created. 201 Created').waitFor()
    await page.getByText('1–10 of 13').waitFor()
  })

  await t.test('a record that is not there offers nothing to do with it', async (t) => {
    await page.evaluate(`location.hash = '#/posts?call=get&id=99'`)
    await page.getByRole('alert').getByText('404 NotFound').waitFor()
    t.equal(await link(page, 'Edit').count(), 0)
    await page.evaluate(`location.hash = '#/posts?call=patch&id=99'`)
    await heading(page).getByText('Edit').waitFor()
    await page.getByRole('alert').getByText('404 NotFound').waitFor()
    t.equal(await button(page, 'Save').count(), 0)
  })
})

t.test('on a phone the drawer covers the list, and Save stays in sight', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address, { viewport: { width: 390, height: 500 } })
  await page.getByText('1–10 of 12').waitFor()
  await link(page, '1').click()
  await page.getByRole('definition').getByText('Post 1', { exact: true }).waitFor()
  t.equal(await page.getByRole('table').isVisible(), false)
  await link(page, 'Edit').click()
  await page.getByLabel('title').waitFor()
  const box = await button(page, 'Save').boundingBox()
  t.ok(box !== null && box.y + box.height <= 500)
  await button(page, 'Close').click()
  await page.getByText('1–10 of 12').waitFor()
})

t.test('an empty list leads to its first record', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await link(page, '/loose').click()
  await page.getByText('There are no records.').waitFor()
  await link(page, 'Create the first one').click()
  await page.getByLabel('JSON').fill('{ "name": "Ada" }')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('1–1 of 1').waitFor()
})
