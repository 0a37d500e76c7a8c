import { eventually } from '../support/eventually.js'
import '../support/auth-scrypt.js'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import events from 'fastify-services/events'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall } from '../support/chromium.js'
import { serviceAt } from '../support/events-app.js'
import { toHash } from '../support/stored-password.js'
import { openExplorer, user } from './site.js'

t.setTimeout(120_000)

const text = { type: 'string' } as const
const note = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text } } as const

/** Notes for all, private ones for those who log in, notes of rooms, and a service without events. */
async function open(t: Test, port = 0) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1.0.0' } }))
  await app.register(services)
  const notes = () => ({ schema: resource(note, { readOnly: ['id'] }) })
  app.service('notes', memory({ startId: 1 }), notes())
  app.service('private', memory({ startId: 1 }), { ...notes(), hooks: { around: { all: [authenticate('jwt')] } } })
  app.service('rooms/:room/notes', memory({ startId: 1 }), notes())
  app.service('silent', memory({ startId: 1 }), notes())
  const users = app.service('users', memory({ startId: 1 }), { methods: [] })
  await app.register(authentication, { secret: 's'.repeat(32) })
  const settings = { notes: true, private: true, 'rooms/:room/notes': true } as const
  await app.register(events, { services: settings })
  await app.register(explorer)
  await users.create({ ...user, password: toHash(user.password) })
  return { app, address: await app.listen({ port, host: '127.0.0.1' }) }
}

t.test('the events of a list appear as they come', { skip: howToInstall }, async (t) => {
  const { app, address } = await open(t)
  const page = await openExplorer(t, address)
  const main = page.getByRole('main')
  const row = (index: number) => main.locator('tbody tr').nth(index).innerText()
  const notes = serviceAt(app, 'notes') as unknown as Record<
    'create' | 'patch' | 'remove',
    (...args: unknown[]) => void
  >

  await page.evaluate(`location.hash = '#/silent'`)
  await main.getByRole('heading', { name: '/silent' }).waitFor()
  await eventually(t).equal(
    () => main.getByRole('link', { name: 'Listen' }).count(),
    0,
    'no link where the document has no events'
  )

  await page.evaluate(`location.hash = '#/notes'`)
  await main.getByRole('link', { name: 'Listen' }).click()
  await main.getByText('Listening. Events appear here').waitFor()
  await eventually(t).match(
    () => page.locator('#code').innerText(),
    /^curl -N '.*\/notes' \\\s+-H 'Accept: text\/event-stream'/
  )
  await notes.create({ text: 'a' })
  await notes.patch(1, { text: 'b' })
  await main.getByRole('cell', { name: 'patched' }).waitFor()
  await eventually(t).match(() => row(0), /patched\s+1/, 'the newest first')
  await eventually(t).match(() => row(1), /created\s+1/)
  await checkAccessibility(t, page, 'events')
  await notes.remove(1)
  await main.getByRole('cell', { name: 'removed' }).waitFor()
  await eventually(t).equal(
    () => main.locator('tbody tr').nth(0).getByRole('link').count(),
    0,
    'what was removed is no link'
  )

  await main.getByRole('button', { name: 'Stop' }).click()
  await main.getByText('Not listening.').waitFor()
  while (app.events.streams > 0) await page.waitForTimeout(10)
  await main.getByRole('button', { name: 'Listen again' }).click()
  await main.getByText('Listening. Events appear here').waitFor()
  await main.getByRole('link', { name: '1' }).first().click()
  await main.getByText('404 NotFound').waitFor()
  while (app.events.streams > 0) await page.waitForTimeout(10)
  t.pass('the stream ends with its view')
})

t.test('placeholders and logins', { skip: howToInstall }, async (t) => {
  const { app, address } = await open(t)
  const page = await openExplorer(t, address)
  const main = page.getByRole('main')
  await page.evaluate(`location.hash = '#/rooms/:room/notes?call=listen'`)
  await main.getByText('Fill in :room to listen.').waitFor()
  await main.getByLabel(':room').fill('7')
  await main.getByRole('button', { name: 'Listen' }).click()
  await main.getByText('Listening. Events appear here').waitFor()

  await page.evaluate(`location.hash = '#/private?call=listen'`)
  await main.getByText('Log in to see /private.').waitFor()
  await main.getByRole('button', { name: 'Try without login' }).click()
  await page.getByRole('alert').getByText('401 NotAuthenticated').waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Log in' }).click()
  await page.getByLabel('email').fill(user.email)
  await page.getByLabel('password').fill(user.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click()
  await main.getByText('Listening. Events appear here').waitFor()
  await serviceAt(app, 'private').create({ text: 'a' })
  await main.getByRole('cell', { name: 'created' }).waitFor()
  t.equal(app.events.streams, 1, 'that of the room has ended')
})

t.test('a server that has gone and comes back', { skip: howToInstall }, async (t) => {
  const { app, address } = await open(t)
  const page = await openExplorer(t, address)
  const main = page.getByRole('main')
  await page.evaluate(`location.hash = '#/notes?call=listen'`)
  await main.getByText('Listening. Events appear here').waitFor()
  await app.close()
  await main.getByText(/^Not live: .*It is tried again\.$/).waitFor()
  await open(t, Number(new URL(address).port))
  await main.getByText('Listening. Events appear here').waitFor()
  await main.getByRole('cell', { name: 'reset' }).waitFor()
  await main.getByText('Events were missed.').waitFor()
  await eventually(t).equal(() => main.getByRole('row').count(), 2, 'a heading and one event')
})
