import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'
import { meeting, openWorkshop } from './workshop.js'

t.setTimeout(120_000)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const cell = (page: Page, name: string) => page.getByRole('cell', { name, exact: true })

t.test('tables are for people', { skip: howToInstall }, async (t) => {
  const { app, meetings, address } = await openWorkshop()
  t.teardown(() => app.close())
  await meetings.create({ ...meeting, title: 'Globes', isOpen: true, host: 2, site: 'https://example.com/=1+1' })
  await meetings.create({ ...meeting, title: '=SUM(1)', isOpen: false })
  const page = await openExplorer(t, address, { timezoneId: 'UTC', locale: 'en-GB' })
  const open = async () => {
    await page.goto(`${address}/explorer#/meetings`)
    await page.getByText('1–3 of 3').waitFor()
  }
  await open()

  await t.test('dates, signs and links to other records', async (t) => {
    await eventually(t).equal(() => page.getByRole('cell', { name: /^31 Jan 2030, 12:00/ }).count(), 3)
    await eventually(t).equal(() => page.getByRole('img', { name: 'true' }).innerText(), '✓')
    await eventually(t).equal(() => page.getByRole('img', { name: 'false' }).innerText(), '✗')
    await page
      .getByRole('row', { name: /Globes/ })
      .getByRole('link', { name: '2' })
      .last()
      .click()
    await page.getByRole('definition').getByText('Grace').waitFor()
    await open()
  })

  await t.test('columns are chosen beside Find, and remembered', async (t) => {
    await page.getByText('Columns', { exact: true }).click()
    for (const name of ['about', 'contact']) {
      await page.getByRole('checkbox', { name, exact: true }).uncheck()
      await page.getByRole('columnheader', { name, exact: true }).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Escape')
    await eventually(t).equal(() => page.getByRole('checkbox', { name: 'contact' }).isVisible(), false)
    await open()
    await page.reload()
    await page.getByText('1–3 of 3').waitFor()
    await eventually(t).equal(() => page.getByRole('columnheader', { name: 'contact' }).count(), 0)
    await eventually(t).match(() => page.locator('#code').innerText(), '$select[1]=title')
    await page.getByText('Columns (15 of 17)').waitFor()
  })

  await t.test('the request folds away for the table, which is remembered', async (t) => {
    const panel = page.getByRole('complementary', { name: 'Request' })
    const width = async () => (await page.getByRole('region', { name: 'Records' }).boundingBox())?.width ?? 0
    const narrow = await width()
    await button(page, 'Request').click()
    await eventually(t).equal(() => panel.isVisible(), false)
    t.ok((await width()) > narrow + 300)
    await page.reload()
    await page.getByText('1–3 of 3').waitFor()
    t.equal(await panel.isVisible(), false)
    await button(page, 'Request').click()
    await eventually(t).equal(() => panel.isVisible(), true)
  })

  await t.test('what is shown is a file', async (t) => {
    const read = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
      return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')] as const
    }
    const [csvName, csv] = await read('CSV')
    t.equal(csvName, 'meetings.csv')
    t.match(csv, /^id,title,site,begins/)
    t.match(csv, "3,'=SUM(1),", 'no formula')
    const [jsonName, json] = await read('JSON')
    t.equal(jsonName, 'meetings.json')
    const [first] = JSON.parse(json)
    t.strictSame([first.title, first.contact], ['Maps', undefined])
  })

  await t.test('many records are changed and removed at once', async (t) => {
    await page.getByLabel('Select 2').check()
    await page.getByLabel('Select 3').check()
    await page.getByText('2 selected').waitFor()
    await button(page, 'Edit 2').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('seats').fill('900')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    t.equal(await dialog.getByLabel('seats').getAttribute('aria-invalid'), 'true')
    await dialog.getByLabel('seats').fill('44')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 records of /meetings: saved.').waitFor()
    t.strictSame(await Promise.all([1, 2, 3].map(async (id) => (await meetings.get(id)).seats)), [12, 44, 44])
    await page.getByLabel('Select all').check()
    await page.getByLabel('Select 1').uncheck()
    await button(page, 'Remove 2').click()
    await dialog.getByText('This removes the records 2, 3.').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('1–1 of 1').waitFor()
    await cell(page, 'Maps').waitFor()
  })

  await t.test('answers have colours, fold, and are copied', async (t) => {
    const body = page.getByLabel('Body of the answer')
    t.ok((await body.locator('.json-key').count()) > 10)
    await body.locator('summary', { hasText: '"talks"' }).click()
    await eventually(t).equal(() => body.getByText('Projections').isVisible(), false)
    await page.getByRole('button', { name: 'Copy the answer' }).click()
    await page.getByText('Copied').waitFor()
    t.match(await page.evaluate<string>('navigator.clipboard.readText()'), '"title":"Projections"')
  })
})
