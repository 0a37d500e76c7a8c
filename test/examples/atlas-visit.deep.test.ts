import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import t from 'tap'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { hasCurl, paste } from './atlas-commands.js'
import { Visitor } from './atlas-visitor.js'

t.setTimeout(900_000)

const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const canPaste = await hasCurl()

for (const width of [390, 768, 1280, 1920])
  t.test(`a visit at ${width} pixels`, { skip: howToInstall }, async (t) => {
    const app = await examples.atlas(t)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const visitor = await Visitor.come(t, address, { viewport: { width, height: 800 } })
    const { page, names, count, button, note } = visitor
    const shown = () => page.locator('#world .shown').count()

    t.comment('looks around')
    await count('1–18 of 250 countries')
    t.equal((await names())[0], 'Afghanistan')
    await page.locator('#world .shown').first().waitFor({ state: 'attached' })
    t.equal(await shown(), 18, 'the countries of the table are on the map')
    await eventually(t).equal(() => page.locator('#world .fits').count(), 232, 'and the others of the query')
    await visitor.check('the start')

    t.comment('filters, sorts and pages')
    await page.getByLabel('Region').selectOption('Africa')
    await count('1–18 of 59 countries')
    await button('Area in km²').click()
    await page.locator('th[aria-sort=ascending]').getByText('Area').waitFor()
    await page.locator('tbody tr').first().getByText('British Indian Ocean Territory').waitFor()
    await button('Area in km²').click()
    await page.locator('tbody tr').first().getByText('Algeria').waitFor()
    for (const part of ['19–36', '37–54', '55–59']) {
      await button('Next').click()
      await count(`${part} of 59 countries`)
    }
    t.equal(await shown(), 5)
    t.ok(await button('Next').isDisabled())
    await page.goBack()
    await count('37–54 of 59 countries')
    const there = await names()

    t.comment('copies the query')
    const copy = async () => {
      await button('Copy').click()
      await button('Copied').waitFor()
      const command = await page.evaluate<string>('navigator.clipboard.readText()')
      await button('Copy').waitFor()
      return { command, answer: canPaste ? await paste(command) : undefined }
    }
    const { command, answer } = await copy()
    t.equal(
      command,
      `curl -g '${address}/countries?region=Africa&$sort[area]=-1&$sort[name]=1&$limit=18&$skip=36'`,
      'as it can be read'
    )
    if (answer) t.strictSame([answer.total, ...namesOf(answer)], [59, ...there], 'it gives what is in the table')

    t.comment('searches')
    await page.getByLabel('Search').fill('guinea')
    await count('1–3 of 3 countries')
    t.strictSame(await names(), ['Guinea', 'Guinea-Bissau', 'Equatorial Guinea'])
    await page.getByLabel('Landlocked').check()
    await count('No countries')
    await page.getByText('No country fits.').waitFor()
    await visitor.check('nothing found')
    await page.getByLabel('Search').fill(`'%_\\"; é`)
    const odd = await copy()
    if (odd.answer) t.match(odd.answer, { total: 0, data: [] }, 'whatever was typed, it is a command')
    await page.getByLabel('Landlocked').uncheck()
    await page.getByLabel('Search').fill('chad')
    await count('1 country')

    t.comment('opens a country, signs up and writes')
    await page.getByRole('link', { name: 'Chad' }).click()
    await page.getByText('Nobody has written about Chad yet.').waitFor()
    await eventually(t).equal(() => page.title(), 'Chad · Atlas')
    await eventually(t).equal(() => page.locator('#world .open').count(), 1, 'it is on the map')
    t.equal(
      await page.locator('dt:text-is("Neighbours") + dd').innerText(),
      'Cameroon, Central African Republic, Libya, Niger, Nigeria, Sudan',
      'its neighbours come with it'
    )
    await visitor.check('a country')
    await page.getByRole('button', { name: 'sign up', exact: true }).click()
    await visitor.check('the form to sign up')
    await page.keyboard.press('Escape')
    await visitor.signUp(ada)
    await visitor.isHere('Ada')
    await page.getByLabel('Note', { exact: true }).fill('Larger than France')
    await button('Add note').click()
    await note('Larger than France').waitFor()
    await eventually(t).equal(
      () => page.getByLabel('Note', { exact: true }).inputValue(),
      '',
      'the form is free for the next one'
    )
    await page.getByLabel('Note', { exact: true }).fill('Five times as large as the United Kingdom')
    await page.getByLabel('Pin it to the top').check()
    await button('Add note').click()
    await note('· pinned').waitFor()
    const begins = async () => (await page.getByRole('article').allInnerTexts()).map((text) => text.split(' ')[0])
    await eventually(t).strictSame(begins, ['Five', 'Larger'])
    await visitor.check('notes')

    t.comment('edits and deletes')
    await note('Larger').getByRole('button', { name: 'Edit' }).click()
    const editor = page.locator('.list').getByLabel('Note', { exact: true })
    await editor.fill('Twice as large as France')
    await visitor.check('a note in its form')
    await button('Save').click()
    await note('Twice as large as France').waitFor()
    await note('Five times').getByRole('button', { name: 'Delete' }).click()
    await visitor.check('the question before a note is deleted')
    await button('Keep it').click()
    await note('Five times').getByRole('button', { name: 'Delete' }).click()
    await note('Five times').getByRole('button', { name: 'Delete' }).click()
    await note('Five times').waitFor({ state: 'detached' })
    t.match((await app.inject('/countries/TCD/notes')).json(), {
      total: 1,
      data: [{ text: 'Twice as large as France' }]
    })

    t.comment('comes back and leaves')
    await page.reload()
    await visitor.isHere('Ada')
    await note('Twice as large as France').getByRole('button', { name: 'Edit' }).waitFor()
    await visitor.logOut()
    await note('Twice as large as France').getByText(/^Ada,/).waitFor()
    await eventually(t).equal(
      () => note('Twice as large as France').getByRole('button').count(),
      0,
      'it can be read only'
    )
    await page.getByText('to write a note.').waitFor()
    await button('Close').click()
    await page.getByText('Choose a country').waitFor()
    await eventually(t).equal(
      () => page.evaluate('document.activeElement.textContent'),
      'Chad',
      'whoever closes it is where they were'
    )
  })

const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)

t.test('Swagger UI and the explorer are a click away', { skip: howToInstall }, async (t) => {
  const app = await examples.atlas(t)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const { page } = await Visitor.come(t, address)
  await page.getByRole('link', { name: 'API', exact: true }).click()
  await page.getByText('Get a record of countries').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByPlaceholder('id', { exact: true }).fill('CHE')
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('Swiss Confederation').first().waitFor()
  await page.goto(address)
  await page.getByRole('link', { name: 'Explorer' }).click()
  await page.getByText('1–10 of 250').waitFor()
  await page.getByRole('link', { name: 'Back to the application' }).click()
  await page.getByText('Choose a country').waitFor()
})
