import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import t from 'tap'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { Visitor } from './atlas-visitor.js'

t.setTimeout(900_000)

t.test('by keyboard alone: a search, a country, a sign-up, a note', { skip: howToInstall }, async (t) => {
  const app = await examples.atlas(t)
  const visitor = await Visitor.come(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  const { page, button, note } = visitor
  const focused = () =>
    page.evaluate<string>(
      '(({ ariaLabel, labels, innerText }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)(document.activeElement)'
    )

  /** Goes on with the key Tab until something has the focus. */
  async function tabTo(name: RegExp, key = 'Tab'): Promise<void> {
    for (let count = 0; count < 60; count++) {
      await page.keyboard.press(key)
      if (name.test(await focused())) return
    }
    t.fail(`the key ${key} does not lead to ${name}`)
  }

  await visitor.count('1–18 of 250 countries')
  await tabTo(/^Search/)
  await page.keyboard.type('island')
  await visitor.count('1–18 of 18 countries')
  await tabTo(/^Region/)
  await page.keyboard.press('O')
  await visitor.count('1–8 of 8 countries')
  await tabTo(/^Area/)
  await page.keyboard.press('Enter')
  await page.locator('th[aria-sort=ascending]').getByText('Area').waitFor()
  await page.locator('tbody tr').first().getByText('Cocos').waitFor()
  await eventually(t).match(() => focused(), /^Area/, 'whoever has sorted goes on at the heading')
  await tabTo(/^Norfolk Island$/)
  await page.locator('#world .pointed').waitFor({ state: 'attached' })
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Norfolk Island' }).waitFor()
  await eventually(t).equal(() => focused(), 'Norfolk Island', 'whoever has opened it goes on at its heading')

  await tabTo(/^sign up$/)
  await page.keyboard.press('Enter')
  for (const text of ['Ada', 'ada@example.com', 'correct horse']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await visitor.isHere('Ada')
  await tabTo(/^Note$/)
  await page.keyboard.type('Pines')
  await tabTo(/^Add note$/)
  await page.keyboard.press('Enter')
  await note('Pines').waitFor()
  await tabTo(/^Delete$/)
  await page.keyboard.press('Enter')
  await eventually(t).equal(() => focused(), 'Keep it', 'a second Enter deletes nothing')
  await tabTo(/^Delete$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Nobody has written about Norfolk Island yet.').waitFor()
  await eventually(t).equal(() => focused(), 'Notes', 'whoever has deleted one goes on at the heading')
  await tabTo(/^Close$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await button('Close').waitFor({ state: 'detached' })
  await eventually(t).equal(() => focused(), 'Norfolk Island')
})
