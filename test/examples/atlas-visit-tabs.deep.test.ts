import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import t, { type Test } from 'tap'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { Visitor } from './atlas-visitor.js'

t.setTimeout(900_000)

const chad = '/#country=TCD'
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const bob = { name: 'Bob', email: 'bob@example.com', password: 'battery staple' }

async function come(t: Test, path = '/'): Promise<Visitor> {
  const app = await examples.atlas(t)
  return Visitor.come(t, await app.listen({ port: 0, host: '127.0.0.1' }), {}, path)
}

t.test('who has logged in, and out, in another tab is who is shown in all', { skip: howToInstall }, async (t) => {
  const visitor = await come(t, chad)
  const { page, header, button, note } = visitor
  await visitor.signUp(ada)
  await visitor.isHere('Ada')
  const tab = await visitor.openTab(chad)
  await tab.isHere('Ada')
  await tab.logOut()
  await header.getByRole('button', { name: 'Sign up' }).waitFor()
  await page.getByText('to write a note.').waitFor()
  await tab.signUp(bob)
  await visitor.isHere('Bob')
  await page.getByLabel('Note', { exact: true }).fill('By Bob')
  await button('Add note').click()
  await note('By Bob').getByText(/^You,/).waitFor()
})

t.test('a login that the server has not heard of yet is not lost', { skip: howToInstall }, async (t) => {
  const visitor = await come(t)
  const { page, header } = visitor
  await visitor.signUp(ada)
  await visitor.isHere('Ada')
  await page.route('**/authentication', (route) => route.abort())
  await page.reload()
  await header.getByText('You are not logged in again yet.').waitFor()
  await visitor.check('a login that waits')
  await page.unroute('**/authentication')
  await header.getByRole('button', { name: 'Try again' }).click()
  await visitor.isHere('Ada')
  await eventually(t).equal(() => visitor.alert.count(), 0)
})

t.test('what somebody writes stays, and so does the place', { skip: howToInstall }, async (t) => {
  const visitor = await come(t, chad)
  const { page, button, note } = visitor
  const focused = () => page.evaluate<string>('document.activeElement.innerText')
  const fresh = page.locator('.notes > div:not(.list)').getByLabel('Note', { exact: true })
  const editor = page.locator('.list').getByLabel('Note', { exact: true })
  await visitor.signUp(ada)
  await visitor.isHere('Ada')

  t.comment('a note of spaces, and one that is read from the right')
  await fresh.fill('  \n ')
  await button('Add note').click()
  await eventually(t).equal(
    () => page.evaluate('document.activeElement.matches("textarea:invalid")'),
    true,
    'the browser asks for more'
  )
  for (const text of ['one', 'two', 'three', 'four', 'five', ' (שלום) ']) {
    await fresh.fill(text)
    await button('Add note').click()
    await note(text.trim()).waitFor()
  }
  await eventually(t).equal(
    () => page.locator('.note p:dir(rtl)').innerText(),
    '(שלום)',
    'as it is written, without the spaces'
  )

  t.comment('the first one to see of those that come is where whoever asks goes on')
  await button('Show more').click()
  await note('one').waitFor()
  await eventually(t).match(() => focused(), /^one/)

  t.comment('two notes at once')
  await note('three').getByRole('button', { name: 'Edit' }).click()
  await editor.fill('a third')
  await fresh.fill('seven')
  await button('Add note').click()
  await note('seven').waitFor()
  await eventually(t).equal(() => editor.inputValue(), 'a third')
  await button('Save').click()
  await note('a third').waitFor()
  await eventually(t).match(() => focused(), /^a third/, 'whoever has changed a note goes on at it')
  await note('two').getByRole('button', { name: 'Delete' }).click()
  await note('two').getByRole('button', { name: 'Delete' }).click()
  await note('two').waitFor({ state: 'detached' })
  await eventually(t).match(() => focused(), /^one/, 'and whoever has deleted one at the next')

  t.comment('the login ends')
  await note('one').getByRole('button', { name: 'Edit' }).click()
  await editor.fill('the first')
  await page.evaluate('localStorage.setItem("atlas-login", "of no use")')
  await button('Save').click()
  await visitor.alert.getByText('Your login has ended. Log in again to go on.').waitFor()
  await visitor.fillLogin(ada.email, ada.password)
  await visitor.isHere('Ada')
  await eventually(t).equal(() => editor.inputValue(), 'the first')
  await button('Save').click()
  await note('the first').getByText(/^You,/).waitFor()
})
