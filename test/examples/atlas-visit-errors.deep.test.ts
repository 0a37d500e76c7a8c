import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import t, { type Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { openFolder } from './atlas-support.js'
import { Visitor } from './atlas-visitor.js'

t.setTimeout(900_000)

const chad = '/#country=TCD'
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const bob = { name: 'Bob', email: 'bob@example.com', password: 'battery staple' }

async function start(t: Test) {
  const app = await examples.atlas(t)
  return { app, address: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

t.test('a login that fails says why, and what to do', { skip: howToInstall }, async (t) => {
  const { address } = await start(t)
  const visitor = await Visitor.come(t, address)
  const { page, dialog, alert } = visitor
  await visitor.signUp(ada)
  await visitor.isHere('Ada')
  await visitor.logOut()
  await visitor.signUp({ ...ada, password: 'another one' })
  await alert.getByText('There is a user with this e-mail address already. Is it you?').waitFor()
  await visitor.check('an address that is taken')
  await alert.getByRole('button', { name: 'Log in' }).click()
  await eventually(t).equal(
    () => dialog.getByLabel('E-mail address').inputValue(),
    ada.email,
    'it need not be typed again'
  )
  await visitor.fillLogin(ada.email, 'not that one')
  await alert.getByText('Nobody has this e-mail address with this password.').waitFor()
  await visitor.check('a wrong password')
  await visitor.fillLogin(ada.email, ada.password)
  await visitor.isHere('Ada')
  await eventually(t).equal(() => dialog.count(), 0)
  await visitor.logOut()
  await visitor.header.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'look around as the demo user' }).click()
  await visitor.isHere('Demo')
})

t.test('a note of somebody else, of nobody, and without a login', { skip: howToInstall }, async (t) => {
  const { app, address } = await start(t)
  const visitor = await Visitor.come(t, address, {}, chad)
  const { page, alert, button, note } = visitor
  await visitor.signUp(ada)
  await visitor.isHere('Ada')
  await page.getByLabel('Note', { exact: true }).fill('By Ada')
  await button('Add note').click()
  await note('By Ada').waitFor()

  t.comment('in another tab, somebody else logs in, and this one has not heard of it yet')
  await page.addInitScript('addEventListener("storage", (event) => event.stopImmediatePropagation())')
  await page.reload()
  await visitor.isHere('Ada')
  const tab = await visitor.openTab(chad)
  await tab.isHere('Ada')
  await tab.logOut()
  await tab.signUp(bob)
  await tab.isHere('Bob')
  await note('By Ada').getByRole('button', { name: 'Edit' }).click()
  await button('Save').click()
  await alert.getByText('it is not yours. Are you logged in as somebody else meanwhile?').waitFor()
  await visitor.check('a note of somebody else')
  await button('Cancel').click()

  t.comment('the user is removed')
  const bobs = { query: { email: bob.email }, paginate: false }
  const users = app.service<{ find(params: object): Promise<{ id: number }[]>; remove(id: number): unknown }>('users')
  for (const { id } of await users.find(bobs)) await users.remove(id)
  await tab.page.getByLabel('Note', { exact: true }).fill('Long thoughts')
  await tab.button('Add note').click()
  await tab.alert.getByText('Your login has ended. Log in again to go on.').waitFor()
  await tab.check('a login that has ended')
  await tab.fillLogin(ada.email, ada.password)
  await tab.isHere('Ada')
  await eventually(t).equal(
    () => tab.page.getByLabel('Note', { exact: true }).inputValue(),
    'Long thoughts',
    'they are not lost'
  )
  await tab.button('Add note').click()
  await tab.note('Long thoughts').waitFor()

  t.comment('a note that is gone')
  await page.reload()
  await note('Long thoughts').getByRole('button', { name: 'Delete' }).click()
  await note('Long thoughts').getByRole('button', { name: 'Delete' }).click()
  for (const view of [visitor, tab]) await view.note('Long thoughts').waitFor({ state: 'detached' })
  await page.goto(`${address}/#country=XYZ`)
  await alert.getByText('There is no country with the code XYZ.').waitFor()
})

t.test('the network is away, and comes back', { skip: howToInstall }, async (t) => {
  const { address } = await start(t)
  const visitor = await Visitor.come(t, address, {}, chad)
  const { page, alert, context } = visitor
  await page.getByRole('heading', { name: 'Chad' }).waitFor()
  await context.setOffline(true)
  await page.getByLabel('Region').selectOption('Europe')
  const list = page.getByRole('region', { name: 'Countries' })
  await list.getByText('The atlas does not answer.').waitFor()
  t.strictSame(await visitor.names(), [], 'what does not fit is gone')
  await page.getByRole('link', { name: 'Cameroon' }).click()
  await page.getByRole('region', { name: 'Country', exact: true }).getByText('The atlas does not answer.').waitFor()
  await visitor.check('without a network')
  await context.setOffline(false)
  await list.getByRole('button', { name: 'Try again' }).click()
  await visitor.count('1–18 of 53 countries')
  await page.getByRole('heading', { name: 'Cameroon' }).waitFor()
  await eventually(t).equal(() => alert.count(), 0)
})

t.test('too many logins', { skip: howToInstall }, async (t) => {
  const app = await createApp(await openDatabase(await openFolder(t)), { rateLimit: 1 })
  t.teardown(() => app.close())
  const visitor = await Visitor.come(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  await visitor.logIn(ada)
  await visitor.alert.getByText('Nobody has this e-mail address with this password.').waitFor()
  await visitor.fillLogin(ada.email, ada.password)
  await visitor.alert.getByText(/^Too many tries. Try again in \d+ seconds\.$/).waitFor()
})
