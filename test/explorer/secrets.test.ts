import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(120_000)

t.test('a key that a header holds is covered in each form of a request', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.route('**/document.json', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    json.components.securitySchemes.Key = { type: 'apiKey', in: 'header', name: 'X-Key' }
    await route.fulfill({ response, json })
  })
  await page.reload()
  await page.getByText('1–10 of 12').waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('dialog').getByLabel('X-Key').fill('the key')
  await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  for (const form of ['curl', 'fetch', 'TypeScript']) {
    await page.getByRole('tab', { name: form, exact: true }).click()
    await page.locator('#code').getByText('X-Key').first().waitFor()
    t.equal(await page.locator('#code .secret').count(), 1, form)
    t.match(await page.locator('#code .secret').innerText(), 'the key')
  }
})
