import t from 'tap'
import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import { howToInstall } from '../support/chromium.js'
import { toHash } from '../support/stored-password.js'
import { openExplorer, openSite, user } from './site.js'

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
    await eventually(t).equal(() => page.locator('#code .secret').count(), 1, form)
    await eventually(t).match(() => page.locator('#code .secret').innerText(), 'the key')
  }
})

/** An application with users, whose passwords the document tells, and notes for those who log in; tokens are renewed. */
async function openUsers() {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Users', version: '1.0.0' } }))
  await app.register(services)
  const body = {
    type: 'object',
    properties: { email: { type: 'string' }, password: { type: 'string', format: 'password' } }
  }
  const users = app.service('users', memory({ startId: 1 }), { schema: { create: { body } } })
  await users.create({ ...user, password: toHash(user.password) })
  await app.register(authentication, { secret: 's'.repeat(32), refresh: true })
  app.service('notes', { find: async () => [{ id: 1 }] }, { hooks: { around: { all: [authenticate('jwt')] } } })
  await app.register(explorer)
  return app.listen({ port: 0, host: '127.0.0.1' })
}

t.test('a text to copy has the token that was renewed meanwhile', { skip: howToInstall }, async (t) => {
  const page = await openExplorer(t, await openUsers())
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()
  const dialog = page.getByRole('dialog')
  t.notMatch(await dialog.innerText(), /refresh/, 'a refresh token is nothing that somebody types')
  await dialog.getByLabel('email').fill(user.email)
  await dialog.getByLabel('password').fill(user.password)
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const store = (value: string) =>
    page.evaluate(`(() => {
      const key = Object.keys(sessionStorage).find((name) => name.endsWith(' token'))
      const before = sessionStorage[key]
      ${value}
      return before
    })()`)
  await store(`sessionStorage[key] = 'gone'`)
  await page.getByRole('navigation').getByRole('link', { name: '/notes' }).click()
  // The list of before stays until the answer comes.
  let token = await store('')
  while (token === 'gone') token = await store('')
  t.match(token, /^ey/)
  await page.getByText('1–1 of 1').waitFor()
  await page.getByText(`Bearer ${token}`).first().waitFor()
  t.notMatch(await page.locator('#code').innerText(), 'gone')
})

t.test('a password that is typed as JSON is covered in the texts', { skip: howToInstall }, async (t) => {
  const page = await openExplorer(t, await openUsers())
  await page.evaluate(`location.hash = '#/users?call=create'`)
  await page.getByRole('button', { name: 'As JSON' }).click()
  for (const json of ['{ "email": "ada", "password": "a long secret" }', '[{ "password": "a long secret" }]']) {
    await page.getByLabel('JSON').fill(json)
    await page.locator('#code .secret').getByText('a long secret').waitFor()
  }
  t.pass()
})
