import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import cors from '@fastify/cors'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions, type Strategy } from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { howToInstall, openContext } from '../support/chromium.js'

t.setTimeout(120_000)

const user = { email: 'ada@example.com', password: 'correct horse' }

/** A server whose services ask for a login, with the explorer; pages of all origins may read its answers. */
async function open(t: Test, options: AuthenticationOptions) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(cors, { origin: true, credentials: true })
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1.0.0' } }))
  await app.register(services)
  const users = app.service('users', memory({ startId: 1 }), { methods: ['get'] })
  await app.register(authentication, options)
  const notes = app.service('notes', memory({ startId: 1 }))
  await notes.create({ text: 'The first' })
  await app.register(explorer)
  const address = await app.listen({ port: 0, host: 'localhost' })
  await users.create(user)
  return { address: address.replace('127.0.0.1', 'localhost').replace('[::1]', 'localhost'), notes }
}

/** A page of another port of the same host. */
async function openPort(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!DOCTYPE html><title>Elsewhere</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  t.teardown(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}

t.test(
  'a login by a cookie outlives the page, and pages of other origins change nothing by it',
  { skip: howToInstall },
  async (t) => {
    const { address, notes } = await open(t, { secret: 's'.repeat(32), cookie: true, guard: 'jwt' })
    const context = await openContext(t)
    const page = await context.newPage()
    await page.goto(`${address}/explorer#/notes`)
    await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()
    const dialog = page.getByRole('dialog')
    await eventually(t).match(() => dialog.innerText(), /A cookie keeps the login/)
    await dialog.getByLabel('email').fill(user.email)
    await dialog.getByLabel('password').fill(user.password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('banner').getByText(user.email).waitFor()
    const [cookie] = await context.cookies()
    t.match(cookie, { name: 'authentication', httpOnly: true, sameSite: 'Lax', path: '/' })
    const script = await page.evaluate(
      '[document.cookie, JSON.stringify(sessionStorage), JSON.stringify(localStorage)].join()'
    )
    t.notOk(String(script).includes(String(cookie?.value)), 'no script can read it')

    await page.reload()
    await page.getByRole('banner').getByText(user.email).waitFor()
    await page.getByText('The first').first().waitFor()

    const other = await context.newPage()
    await other.goto(await openPort(t))
    const ask = (init: object) =>
      other.evaluate(([url, init]) => fetch(url as string, init as RequestInit).then(({ status }) => status), [
        `${address}/notes`,
        { credentials: 'include', ...init }
      ] as const)
    const body = JSON.stringify({ text: 'By another page' })
    t.equal(await ask({ method: 'POST', body, headers: { 'content-type': 'application/json' } }), 403)
    t.equal(
      await ask({ method: 'POST', body: 'text=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      403
    )
    const form = `<form method="post" action="${address}/notes"><input name="text" value="By a form"></form>`
    await other.setContent(form)
    const [answer] = await Promise.all([
      other.waitForResponse((response) => response.url() === `${address}/notes`),
      other.evaluate('document.forms[0].submit()')
    ])
    t.equal(answer.status(), 403, 'the cookie is sent along')
    t.equal((await notes.find({ paginate: false })).length, 1)

    await page.getByRole('banner').getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor()
    t.strictSame(await context.cookies(), [])
  }
)

t.test('the cookie of another library is named, and sent', { skip: howToInstall }, async (t) => {
  const session: Strategy = {
    parse: ({ headers }) => (headers.cookie ? { cookie: headers.cookie } : null),
    authenticate: () => ({ user: { id: 1 } }),
    describe: () => ({ security: { type: 'apiKey', in: 'cookie', name: 'session' } })
  }
  const { address } = await open(t, { strategies: { session }, guard: 'session' })
  const context = await openContext(t)
  await context.addCookies([{ name: 'session', value: 'ada', url: address }])
  const page = await context.newPage()
  await page.goto(`${address}/explorer#/notes`)
  await page.getByRole('banner').getByText('By the cookie session').waitFor()
  await page.getByText('The first').first().waitFor()
})
