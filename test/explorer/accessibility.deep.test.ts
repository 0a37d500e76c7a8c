import t from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite, user } from './site.js'
import { openWorkshop } from './workshop.js'

t.setTimeout(900_000)

const hash = (text: string) => `#/${text}`
const views: [name: string, hash: string, text: string][] = [
  ['a list', hash('posts?.words.%24gt=10&.isOpen.=true&desc=words&limit=3'), '1–3 of 6'],
  ['an empty list', hash('posts?.title.=none'), 'No record fits'],
  ['a list with an error', hash('posts?.words.%24gt=x'), '400 BadRequest'],
  ['a list without its placeholder', hash('posts/:post/comments'), 'Fill in :post'],
  ['a record', hash('posts?call=get&id=1'), 'Post 1'],
  ['no record', hash('posts?call=get&id=99'), '404 NotFound'],
  ['a form', hash('posts?call=patch&id=1'), 'Save'],
  ['a removal', hash('posts?call=remove&id=1'), 'This removes'],
  ['a method of its own', hash('posts?call=count'), 'Cancel'],
  ['a login', hash('authentication'), 'The token is kept'],
  ['a login as a call', hash('authentication?call=create'), 'Kind'],
  ['no place', hash('nowhere'), 'There is nothing here']
]

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [390, 768, 1280, 1920])
    t.test(`${width} pixels, ${colorScheme}`, { skip: howToInstall }, async (t) => {
      const { address } = await openSite(t)
      const page = await openExplorer(t, address, { colorScheme, viewport: { width, height: 800 } })
      for (const [name, hash, text] of views) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
        await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor()
        await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
        await checkAccessibility(t, page, name)
      }
      await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()
      await checkAccessibility(t, page, 'the login')
      await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
      await checkAccessibility(t, page, 'a login that failed')
    })

const forms: [name: string, hash: string, text: string][] = [
  ['a form of all kinds', hash('meetings?call=create'), '3 to 80 characters'],
  ['a form with rows', hash('meetings?call=patch&id=1'), '3 to 80 characters'],
  ['a record of all kinds', hash('meetings?call=get&id=1'), 'Maps'],
  ['a table to select from', hash('meetings'), '1–1 of 1']
]

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [390, 768, 1280, 1920])
    t.test(`forms of all kinds: ${width} pixels, ${colorScheme}`, { skip: howToInstall }, async (t) => {
      const { app, address } = await openWorkshop()
      t.teardown(() => app.close())
      const page = await openExplorer(t, address, { colorScheme, viewport: { width, height: 800 } })
      for (const [name, hash, text] of forms) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
        await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor()
        await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
        await checkAccessibility(t, page, name)
      }
      await page.getByLabel('Select 1').check()
      await checkAccessibility(t, page, 'a selected row')
      await page.getByText('Columns', { exact: true }).click()
      await checkAccessibility(t, page, 'columns to choose')
      await page.evaluate(`location.hash = '#/meetings?call=create'`)
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('alert').waitFor()
      await checkAccessibility(t, page, 'a form that is wrong')
      await page.getByRole('button', { name: 'As JSON' }).click()
      await checkAccessibility(t, page, 'a form as JSON')
    })

t.test('by keyboard alone: a login, a sorted list, a record, a change', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.getByText('1–10 of 12').waitFor()
  const focused = () =>
    page.evaluate<string>(
      '(({ ariaLabel, labels, innerText }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)(document.activeElement)'
    )

  /** Goes on with the key Tab until something has the focus. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let count = 0; count < 60; count++) {
      await page.keyboard.press('Tab')
      if (name.test(await focused())) return
    }
    t.fail(`the key Tab does not lead to ${name}`)
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await eventually(t).match(() => focused(), '/posts', 'the first key leads past all services')
  await tabTo(/^Log in$/)
  await page.keyboard.press('Enter')
  await tabTo(/^email/)
  await page.keyboard.type(user.email)
  await tabTo(/^password/)
  await page.keyboard.type(user.password)
  await page.keyboard.press('Enter')
  await page.locator('.user').waitFor()
  await tabTo(/^words/)
  await page.keyboard.press('Enter')
  await page.locator('th[aria-sort=ascending]').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('th[aria-sort=descending]').waitFor()
  await tabTo(/^12$/)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  await tabTo(/^Edit$/)
  await page.keyboard.press('Enter')
  await eventually(t).match(() => focused(), /^title/, 'a form begins in its first field')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Changed by keys')
  await page.keyboard.press('Enter')
  await page.getByRole('definition').getByText('Changed by keys').waitFor()
  await eventually(t).match(() => focused(), '/posts', 'who has saved goes on at the heading')
})
