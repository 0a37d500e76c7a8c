import swagger from '@fastify/swagger'
import { memory as feathersMemory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'

t.setTimeout(120_000)

const id = { type: 'integer' } as const
const name = { type: 'string' } as const
const named = { type: 'object', required: ['id', 'name'], properties: { id, name } } as const
const order = {
  type: 'object',
  required: ['id'],
  properties: {
    id,
    person: { type: 'integer', 'x-refers-to': 'people' },
    city: { type: 'integer', 'x-refers-to': 'cities' },
    people: { type: 'array', items: { type: 'integer', 'x-refers-to': 'people' } }
  }
} as const

t.test('a related record is chosen by its name', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const asked: string[] = []
  app.addHook('onRequest', async ({ url }) => void asked.push(decodeURIComponent(url.replaceAll('+', ' '))))
  await app.register(swagger, openapi({ info: { title: 'Orders', version: '1.0.0' } }))
  await app.register(services)
  const paginate = { default: 10, max: 50 }
  const orders = app.service('orders', memory({ paginate }), { schema: resource(order, { readOnly: ['id'] }) })
  // One can search by an operator, the other one can't.
  const operators = { $ilike: { type: 'string' } } as const
  const people = app.service('people', memory({ paginate }), {
    schema: resource(named, { readOnly: ['id'], operators })
  })
  const cities = app.service('cities', feathersMemory({ startId: 1, paginate }), {
    schema: resource(named, { readOnly: ['id'] })
  })
  await app.register(explorer)
  for (let number = 1; number <= 123; number++)
    for (const service of [people, cities]) await service.create({ name: `Name ${number}` })
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const options = () => page.getByRole('option').allInnerTexts()

  await t.test('the server is asked while one types, keys choose', async (t) => {
    await page.evaluate(`location.hash = '#/orders?call=create'`)
    await field('person').press('ArrowDown')
    await page.getByText('And 113 more: type to search.').waitFor()
    t.equal((await options()).length, 10)
    await field('person').pressSequentially('name 12')
    await eventually(t).strictSame(
      async () => (await options()).map((text) => text.split('\n')[0]),
      ['Name 12', 'Name 120', 'Name 121', 'Name 122', 'Name 123']
    )
    t.ok(asked.some((url) => url.includes('/people?name[$ilike]=%name 12%')))
    await checkAccessibility(t, page, 'an open list')
    await field('person').press('ArrowDown')
    await field('person').press('ArrowDown')
    await eventually(t).equal(() => page.locator('[role=option][aria-selected=true]').innerText(), 'Name 120\n120')
    await field('person').press('Enter')
    t.equal(await field('person').inputValue(), '120')
    await page.locator('.name').getByText('Name 120').waitFor()
    await field('person').press('ArrowDown')
    await field('person').press('Escape')
    await eventually(t).equal(() => page.getByRole('listbox').count(), 0)
    t.equal(await field('person').inputValue(), '120')
  })

  await t.test('a service without an operator is read page by page', async (t) => {
    await field('city').pressSequentially('e 117')
    await page.getByRole('option', { name: 'Name 117' }).click()
    t.equal(await field('city').inputValue(), '117')
  })

  await t.test('a name that is not chosen is no id', async (t) => {
    await page.getByRole('button', { name: 'Add to people' }).click()
    await field('people 1').fill('Name')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Choose a record from the list, or type its id.').waitFor()
    await field('people 1').fill('name 7')
    await page.getByRole('option', { name: 'Name 7', exact: false }).first().waitFor()
    await field('people 1').blur()
    await eventually(t).equal(() => field('people 1').inputValue(), '7', 'the name of one record is that record')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Created.').waitFor()
    t.match(await orders.get(1), { person: 120, city: 117, people: [7] })
  })

  await t.test('a form names the records of the ids that it has, and a condition has the list too', async () => {
    await page.evaluate(`location.hash = '#/orders?call=patch&id=1'`)
    await page.locator('.name').getByText('Name 117').waitFor()
    await field('person').fill('999')
    await field('person').blur()
    await page.getByText('There is no such record.').waitFor()
    await field('person').fill('8')
    await field('person').blur()
    await page.locator('.name').getByText('Name 8', { exact: true }).waitFor()
    await page.evaluate(`location.hash = '#/orders'`)
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Field').selectOption('person')
    await field('Value').pressSequentially('name 120')
    await page.getByRole('option', { name: 'Name 120' }).click()
    await page.getByRole('button', { name: 'Find', exact: true }).click()
    await page.getByText('1–1 of 1').waitFor()
  })
})
