import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { resource, search } from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { MemoryService, memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'

t.setTimeout(180_000)

const id = { type: 'integer' } as const
const text = { type: 'string', minLength: 1, maxLength: 80 } as const
const person = {
  type: 'object',
  required: ['id', 'name', 'password'],
  properties: {
    id,
    name: { ...text, examples: ['Ada'] },
    site: { type: 'string', format: 'uri' },
    password: { type: 'string', minLength: 8 }
  }
} as const
const order = {
  type: 'object',
  required: ['id', 'title'],
  properties: {
    id,
    title: text,
    state: { type: 'string', enum: ['open', 'paid'], default: 'open' },
    weight: { type: 'number', 'x-unit': 'kg' },
    person: { type: 'integer', 'x-refers-to': 'people' },
    lines: { type: 'array', items: { type: 'object', required: ['count'], properties: { count: id } } }
  }
} as const
const by = { type: 'string', description: 'Who brings it.' } as const
const ship = { route: 'POST /:id/ship', body: { type: 'object', required: ['by'], properties: { by } } } as const

interface Order {
  id: number
  title: string
  person?: number
}

class Orders extends MemoryService<Order> {
  async ship() {}
}

/** A shop with two groups of services, two kinds of text search, and records that refer to others. */
async function openShop(t: Test) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const asked: string[] = []
  app.addHook('onRequest', async ({ url }) => void asked.push(decodeURIComponent(url.replaceAll('+', ' '))))
  await app.register(swagger, openapi({ info: { title: 'Shop', version: '1.0.0' } }))
  await app.register(services)
  const paginate = { default: 10, max: 50 }
  const people = app.service('people', memory({ paginate }), {
    schema: resource(person, {
      readOnly: ['id'],
      writeOnly: ['password'],
      operators: { $ilike: { type: 'string' } }
    })
  })
  const query = { type: 'object', properties: { q: { type: 'string' } } } as const
  const orders = app.service('orders', new Orders({ paginate }), {
    schema: resource(order, { readOnly: ['id'], query, methods: { ship } }),
    hooks: { around: { all: [search({ q: ['title'] })] } }
  })
  for (const path of ['a', 'b', 'c', 'd', 'e']) app.service(`catalog/${path}`, memory())
  for (const path of ['a', 'b', 'c', 'd']) app.service(`stock/${path}`, memory())
  app.service('notes', memory())
  await app.register(explorer)
  for (const name of ['Ada', 'Grace', '50% off', '500'])
    await people.create({ name, site: 'https://example.com/start', password: 'a long secret' })
  for (const number of [1, 2, 3]) await orders.create({ title: `Order ${number}`, person: number })
  return { asked, address: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

t.test('services, records and fields are found', { skip: howToInstall }, async (t) => {
  const { asked, address } = await openShop(t)
  const page = await openExplorer(t, address)
  const menu = page.getByRole('navigation', { name: 'Services' })
  const heading = page.locator('#main h2')
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await count('1–4 of 4')

  await t.test('many services have groups by their first segment', async (t) => {
    const group = menu.locator('li', { has: page.getByText('/catalog', { exact: true }) })
    t.strictSame(await group.getByRole('link').allInnerTexts(), ['/a', '/b', '/c', '/d', '/e'])
    t.equal(await menu.getByRole('link', { name: '/catalog', exact: true }).count(), 0)
    await checkAccessibility(t, page, 'groups')
  })

  await t.test('a key leads to the services, and Enter to the first that fits', async (t) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('stock/c')
    await eventually(t).strictSame(() => menu.getByRole('link').allInnerTexts(), ['/stock/c'])
    await page.keyboard.press('Enter')
    await eventually(t).equal(() => heading.innerText(), '/stock/c')
    await eventually(t).equal(() => page.evaluate('document.activeElement.tagName'), 'H2')
    await eventually(t).equal(() => menu.getByRole('link', { name: '/people' }).count(), 1, 'all are there again')
  })

  await t.test('one text box searches a list, by any character', async (t) => {
    await page.evaluate(`location.hash = '#/people'`)
    await count('1–4 of 4')
    const box = page.getByRole('searchbox', { name: 'Search by name' })
    await box.fill('50%')
    await box.press('Enter')
    await count('1–1 of 1')
    await page.getByRole('cell', { name: '50% off' }).waitFor()
    t.ok(asked.includes('/people?name[$ilike]=%50\\%%'), 'the percent sign is no wildcard')
    await eventually(t).equal(() => box.inputValue(), '50%')
    await eventually(t).equal(() => page.getByRole('group', { name: 'Condition 1' }).count(), 0)
    await box.fill('')
    await box.press('Enter')
    await count('1–4 of 4')
  })

  await t.test('a service with a parameter for that is searched by it, beside conditions', async (t) => {
    await page.evaluate(`location.hash = '#/orders'`)
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('order')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Value').fill('2')
    await page.getByRole('button', { name: 'Find', exact: true }).click()
    await count('1–1 of 1')
    t.ok(asked.includes('/orders?id=2&q=order'))
  })

  await t.test('related records are links with their names, which one request reads; a URL is a link', async (t) => {
    await page.evaluate(`location.hash = '#/orders'`)
    await page.getByRole('link', { name: '50% off 3' }).waitFor()
    const before = asked.length
    await page.reload()
    await page.getByRole('link', { name: '50% off 3' }).waitFor()
    const names = asked.slice(before).filter((url) => url.startsWith('/people'))
    t.strictSame(names, ['/people?id[$in][0]=1&id[$in][1]=2&id[$in][2]=3&$limit=3'])
    await page.getByRole('link', { name: 'Grace 2' }).click()
    await page.getByRole('definition').getByText('Grace').waitFor()
    const url = page.locator('#drawer').getByRole('link', { name: 'https://example.com/start' })
    t.equal(await url.getAttribute('href'), 'https://example.com/start')
    t.equal(await url.getAttribute('rel'), 'noreferrer')
  })

  for (const width of [390, 1280])
    await t.test(`a table has the fields of a service: ${width} pixels`, async (t) => {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(`location.hash = '#/people'`)
      await page.getByRole('link', { name: 'Schema' }).click()
      const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) }).innerText()
      await eventually(t).match(() => row('id'), /integer.*set by the server/s)
      t.match(await row('name'), /string.*required in create, update.*at most 80 characters.*Ada/s)
      t.match(await row('site'), /a URL.*https:\/\/example\.com/s)
      t.match(await row('password'), /required in create, update.*never sent back.*at least 8 characters/s)
      await checkAccessibility(t, page, 'a schema')
      await page.evaluate(`location.hash = '#/orders?call=schema'`)
      await eventually(t).match(() => row('state'), /enum.*open, paid.*default: open/s)
      t.match(await row('weight'), /number.*x-unit: kg/s)
      t.match(await row('person'), 'id of a record in /people')
      t.match(await row('lines\\[\\].count'), /integer.*required/s)
      const ofShip = page.getByRole('region', { name: 'Data of ship' })
      t.match(await ofShip.innerText(), /by.*string.*required.*Who brings it\./s)
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the page')
    })

  await t.test('on a narrow screen, the key leads to the list of services', async (t) => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.keyboard.press('ControlOrMeta+k')
    await eventually(t).equal(() => page.evaluate('document.activeElement.ariaLabel'), 'Service')
  })
})
