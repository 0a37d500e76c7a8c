import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { allow, may, own } from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'

t.test(
  'a record offers what its caller may do, and a form the fields that it may send',
  { skip: howToInstall },
  async (t) => {
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    app.addHook('onRequest', async (request) => {
      request.feathers = { user: { id: 1, role: 'member' }, authenticated: true }
    })
    await app.register(swagger, openapi({ info: { title: 'Notes', version: '1.0.0' } }))
    await app.register(services)
    const [integer, string] = [{ type: 'integer' }, { type: 'string' }] as const
    const properties = { id: integer, userId: integer, title: string, text: string } as const
    const records = [
      { id: 1, userId: 1, title: 'Mine', text: 'a' },
      { id: 2, userId: 2, title: 'Theirs', text: 'b' }
    ]
    const member = { find: true, get: true, patch: ['title'], remove: true }
    const hooks = { around: { all: [allow({ member }), own('userId', { except: ['find', 'get'] }), may()] } }
    app.service('notes', memory({ records, paginate: { default: 10, max: 50 } }), {
      schema: resource(
        { type: 'object', required: ['id', 'title'], properties },
        { readOnly: ['id', 'userId'] }
      ) as object,
      hooks
    })
    await app.register(explorer)
    const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
    const actions = () => page.locator('#drawer .actions a').allInnerTexts()
    await page.getByRole('link', { name: '2', exact: true }).click()
    await page.getByRole('definition').getByText('Theirs').waitFor()
    await eventually(t).strictSame(actions, [])
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('definition').getByText('Mine').waitFor()
    await eventually(t).strictSame(actions, ['Edit', 'Remove'])
    t.notMatch(await page.locator('#drawer').innerText(), 'may')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.locator('#drawer').getByLabel('title').fill('Mine, still')
    t.equal(await page.locator('#drawer').getByLabel('text').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('definition').getByText('Mine, still').waitFor()
  }
)
