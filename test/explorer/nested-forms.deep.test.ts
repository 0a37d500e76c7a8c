import type { Page } from 'playwright-core'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'
import { meeting, openWorkshop } from './workshop.js'

t.setTimeout(120_000)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const within = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
const required = (page: Page, name: string) => page.getByLabel(`${name} required`, { exact: true })

t.test('a form of every kind of field', { skip: howToInstall }, async (t) => {
  const { app, meetings, address } = await openWorkshop()
  t.teardown(() => app.close())
  const page = await openExplorer(t, address)
  const open = async (hash: string) => {
    await page.evaluate(`location.hash = '${hash}'`)
    await page.getByText('3 to 80 characters').waitFor()
  }

  await t.test('says what may be in it', async (t) => {
    await open('#/meetings?call=create')
    for (const hint of [
      'an e-mail address',
      'a whole number · 1 to 500 · default: 20',
      'at most 5 items',
      'As on a letter.'
    ])
      await eventually(t).equal(() => page.getByText(hint).count(), 1, hint)
    const attributes = async (name: string, ...names: string[]) =>
      Promise.all(names.map((attribute) => required(page, name).getAttribute(attribute)))
    const seats = ['type', 'min', 'max', 'step'].map((name) => field(page, 'seats').getAttribute(name))
    t.strictSame(await Promise.all(seats), ['number', '1', '500', '1'])
    await eventually(t).strictSame(() => attributes('contact', 'type'), ['email'])
    await eventually(t).strictSame(() => attributes('begins', 'type'), ['datetime-local'])
  })

  await t.test('marks all that is wrong at once, wherever it stands', async (t) => {
    await button(page, 'Add to talks').click()
    await button(page, 'Create').click()
    await page.getByRole('alert').getByText('400 BadRequest').waitFor()
    for (const name of ['title', 'contact', 'begins', 'level', 'street', 'city', 'minutes'])
      await eventually(t).equal(() => required(page, name).first().getAttribute('aria-invalid'), 'true', name)
    await eventually(t).equal(() => within(page, 'talks 1').getByText('is required').count(), 2)
    await eventually(t).equal(() => field(page, 'site').getAttribute('aria-invalid'), null)
    await eventually(t).equal(() => page.evaluate('document.activeElement.labels[0].innerText'), 'title required')
  })

  await t.test('creates a record with objects, rows, and one kind of several', async (t) => {
    await required(page, 'title').first().fill('Atlases')
    await required(page, 'contact').fill('ada@example.com')
    await required(page, 'begins').fill('2030-01-31T12:00:00')
    await field(page, 'seats').fill('30')
    await required(page, 'level').selectOption('beginner')
    await field(page, 'isOpen').click()
    await field(page, 'host').focus()
    await field(page, 'host').pressSequentially('gra')
    await page.getByRole('option', { name: 'Grace' }).click()
    await required(page, 'street').fill('Short Road 2')
    await required(page, 'city').fill('Basel')
    await within(page, 'talks 1').getByLabel('title').fill('Old maps')
    await within(page, 'talks 1').getByLabel('minutes').fill('20')
    await button(page, 'Add to talks').click()
    await within(page, 'talks 2').getByLabel('title').fill('New maps')
    await within(page, 'talks 2').getByLabel('minutes').fill('25')
    await button(page, 'Move up talks 2').click()
    await button(page, 'Add to tags').click()
    await field(page, 'tags 1').fill('maps')
    await button(page, 'Add to tags').click()
    await button(page, 'Remove tags 1').click()
    await field(page, 'tags 1').fill('paper')
    await within(page, 'fee required').getByLabel('Kind').selectOption('paid')
    await within(page, 'fee required').getByLabel('price').fill('4.5')
    await within(page, 'fee required').getByLabel('currency').selectOption('EUR')
    await button(page, 'Create').click()
    await page.getByText('Created. 201 Created').waitFor()
    const begins = await page.evaluate(`new Date('2030-01-31T12:00:00').toISOString()`)
    t.strictSame(await meetings.get(2), {
      ...{
        id: 2,
        title: 'Atlases',
        contact: 'ada@example.com',
        begins,
        seats: 30,
        isOpen: true,
        level: 'beginner',
        host: 2
      },
      place: { street: 'Short Road 2', city: 'Basel' },
      tags: ['paper'],
      talks: [
        { title: 'New maps', minutes: 25 },
        { title: 'Old maps', minutes: 20 }
      ],
      fee: { kind: 'paid', price: 4.5, currency: 'EUR' }
    })
  })

  await t.test('shows a record as it is, and sends what has changed of it', async (t) => {
    await open('#/meetings?call=patch&id=1')
    await eventually(t).match(() => page.locator('#code').innerText(), /--data-raw '\{\}'$/)
    await eventually(t).equal(() => required(page, 'lat').inputValue(), '46.9')
    await eventually(t).equal(() => within(page, 'fee').getByLabel('Kind').inputValue(), '1')
    await required(page, 'city').fill('Zug')
    await button(page, 'Add lunch').click()
    await within(page, 'lunch').getByLabel('street').fill('Long Road 3')
    await within(page, 'lunch').getByLabel('city').fill('Bern')
    await button(page, 'Save').click()
    await page.getByText('Saved.').waitFor()
    t.strictSame(await meetings.get(1), {
      ...meeting,
      id: 1,
      place: { ...meeting.place, city: 'Zug' },
      lunch: { street: 'Long Road 3', city: 'Bern' }
    })
  })

  await t.test('is JSON where somebody wants it, with the fault at its place', async (t) => {
    await open('#/meetings?call=patch&id=1')
    await required(page, 'city').first().fill('Chur')
    await button(page, 'As JSON').click()
    const json = field(page, 'JSON')
    await eventually(t).match(() => json.inputValue(), '"city": "Chur"')
    t.ok((await page.locator('.editor .json-key').count()) > 2, 'in colours')
    await json.fill('{\n  "seats": 1,,\n}')
    await page.getByText('Line 2, column 14: expected a name in double quotes, not ,').waitFor()
    await button(page, 'Save').click()
    t.equal(await json.getAttribute('aria-invalid'), 'true')
    await json.fill('{ "seats": 900, "place": { "street": "", "city": "Chur" } }')
    await button(page, 'As fields').click()
    t.strictSame(
      [await field(page, 'seats').inputValue(), await required(page, 'city').first().inputValue()],
      ['900', 'Chur']
    )
    await button(page, 'Save').click()
    await page.getByRole('alert').getByText('400 BadRequest').waitFor()
    await eventually(t).equal(() => field(page, 'seats').getAttribute('aria-invalid'), 'true')
    await eventually(t).equal(() => required(page, 'street').first().getAttribute('aria-invalid'), 'true')
  })
})
