import t from 'tap'
import { demoLogin } from '../../examples/atlas/demo-login.js'
import { openExplorer } from '../explorer/site.js'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'

t.setTimeout(180_000)

t.test(
  'the atlas in the explorer: sorted and filtered, opened, and a note by the demo user',
  { skip: howToInstall },
  async (t) => {
    const app = await examples.atlas(t)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const page = await openExplorer(t, address)
    await page.getByText('1–10 of 250').waitFor()
    await page.getByText('Connect an agent').click()
    await page.getByText(`claude mcp add --transport http atlas ${address}/mcp`).waitFor()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Field').selectOption('region')
    await page.getByLabel('Value').fill('Africa')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('1–10 of 59').waitFor()
    await page.getByRole('button', { name: 'area' }).click()
    await page.getByRole('link', { name: 'SYC' }).waitFor()
    await page.getByRole('button', { name: 'area' }).click()
    await page.getByRole('link', { name: 'DZA' }).click()
    await page.getByRole('definition').getByText('Algiers').waitFor()

    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('dialog').getByLabel('email').fill(demoLogin.email)
    await page.getByRole('dialog').getByLabel('password').fill(demoLogin.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click()
    await page.locator('.user').waitFor()
    await page.getByRole('link', { name: '/:code/notes' }).click()
    await page.getByLabel(':code').fill('DZA')
    await page.keyboard.press('Enter')
    await page.getByText('There are no records.').waitFor()
    await page.getByRole('link', { name: 'Create', exact: true }).click()
    await page.locator('#drawer').getByLabel('text').fill('A desert')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Created. 201 Created').waitFor()
    await page.getByRole('link', { name: 'Open the record' }).click()
    await page.getByRole('definition').getByText('A desert').waitFor()
    await eventually(t).equal(() => page.locator('#drawer h2').innerText(), '/countries/:code/notes › 1')
  }
)
