import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openBoard } from './board.js'
import { openExplorer } from './site.js'

t.setTimeout(120_000)

const password = 'a long secret'

t.test('a service for those who log in, and the page of the log-in', { skip: howToInstall }, async (t) => {
  const page = await openExplorer(t, await openBoard(t))
  const main = page.getByRole('main')

  await t.test('says so, and asks nothing of the server', async (t) => {
    await page.evaluate(`location.hash = '#/messages'`)
    await main.getByText('Log in to see /messages.').waitFor()
    await eventually(t).equal(() => page.locator('#status').count(), 0)
    await main.getByRole('button', { name: 'Try without login' }).click()
    await page.getByRole('alert').getByText('401 NotAuthenticated').waitFor()
  })

  await t.test('logs in and out at its own address', async (t) => {
    await page.evaluate(`location.hash = '#/users?call=create'`)
    await main.getByLabel('email').fill('ada@example.com')
    await main.getByLabel('password').fill(password)
    await main.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Created. 201 Created').waitFor()
    await page.evaluate(`location.hash = '#/authentication'`)
    await main.getByLabel('email').fill('ada@example.com')
    await main.getByLabel('password').fill('wrong')
    await main.getByRole('button', { name: 'Log in' }).click()
    await main.getByText('Invalid login').waitFor()
    await main.getByLabel('password').fill(password)
    await main.getByRole('button', { name: 'Log in' }).click()
    await main.getByText('You are logged in: ada@example.com.').waitFor()
    t.notMatch(await page.locator('body').innerText(), /eyJ/, 'no token is shown')
    await page.evaluate(`location.hash = '#/messages'`)
    await main.getByText('There are no records.').waitFor()
    await page.evaluate(`location.hash = '#/authentication'`)
    await main.getByRole('button', { name: 'Log out' }).click()
    await main.getByRole('button', { name: 'Log in' }).waitFor()
  })

  await t.test('covers the tokens of a request that is made by hand', async (t) => {
    await main.getByRole('link', { name: 'As a request' }).click()
    await main.getByLabel('Kind').selectOption('local')
    await main.getByLabel('email').fill('ada@example.com')
    await main.getByLabel('password').fill(password)
    await main.getByRole('button', { name: 'Create' }).click()
    await main.getByText('Created. 201 Created').waitFor()
    await eventually(t).match(() => page.locator('#request .answer .secret').innerText(), /^"ey/)
    await eventually(t).match(() => main.locator('dd .secret').innerText(), /^ey/)
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.answer .secret, dd .secret')].map((one) => getComputedStyle(one).color)`
    )
    t.strictSame(new Set(colours), new Set(['rgba(0, 0, 0, 0)']))
  })
})
