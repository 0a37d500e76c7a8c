import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'

t.setTimeout(120_000)

const button = (name: string) => ['button', { name, exact: true }] as const

t.test('a list of 10,000 records without pages is drawn in pages', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Many', version: '1.0.0' } }))
  await app.register(services)
  const records = Array.from({ length: 10_000 }, (_, index) => ({ id: index + 1, name: `Name ${index + 1}` }))
  app.service('many', { find: async () => records, get: async (id: number) => records[Number(id) - 1] })
  await app.register(explorer)
  const asked: string[] = []
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }), { locale: 'en-US' })
  await page.getByText('1–100 of 10,000').waitFor()
  page.on('request', (request) => asked.push(request.url()))
  const rows = page.locator('tbody tr')
  const first = () => page.locator('tbody tr:first-child td:nth-child(2)').innerText()
  t.equal(await rows.count(), 100)
  await page.getByRole(...button('Last')).click()
  await page.getByText('9,901–10,000 of 10,000').waitFor()
  t.equal(await first(), 'Name 9901')
  await page.getByLabel('Page', { exact: true }).fill('50')
  await page.getByLabel('Page', { exact: true }).press('Enter')
  await page.getByText('4,901–5,000 of 10,000').waitFor()
  t.strictSame(asked, [], 'the records are there')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole(...button('CSV')).click()])
  t.equal(file.suggestedFilename(), 'many.csv')
  await page.getByRole('link', { name: '4950', exact: true }).click()
  await page.getByRole('definition').getByText('Name 4950').waitFor()
  await page.goBack()
  await page.getByText('4,901–5,000 of 10,000').waitFor()
  await page.getByRole(...button('First')).click()
  await eventually(t).equal(first, 'Name 1')
})

t.test('a server with pages is asked for the page that one goes to', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Many', version: '1.0.0' } }))
  await app.register(services)
  const many = app.service('many', memory({ startId: 1, multi: true, paginate: { default: 10, max: 20 } }))
  await app.register(explorer)
  await many.create(Array.from({ length: 95 }, (_, index) => ({ name: `Name ${index + 1}` })))
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  await page.getByText('1–10 of 95').waitFor()
  await page.getByLabel('Page', { exact: true }).fill('7')
  await page.getByLabel('Page', { exact: true }).press('Enter')
  await page.getByText('61–70 of 95').waitFor()
  await page.getByRole(...button('Last')).click()
  await page.getByText('91–95 of 95').waitFor()
  await page.getByLabel('Per page').selectOption('100')
  await page.getByText('1–20 of 95').waitFor()
  const sizes = await page.getByLabel('Per page').getByRole('option').allInnerTexts()
  t.strictSame(sizes, ['10', '20'], 'no size is offered that the server does not give')
})

t.test('a document of 3,000 services is drawn in parts', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const operation = (path: string) => ({ 'x-service': { path, method: 'find', route: 'GET /' }, responses: {} })
  const paths = Array.from({ length: 3000 }, (_, index) => `service-${index}`)
  const document = { paths: Object.fromEntries(paths.map((path) => [`/${path}`, { get: operation(path) }])) }
  app.get('/document', () => document)
  app.get('/*', async () => [])
  await app.register(explorer, { document: '/document' })
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  const links = page.getByRole('navigation').getByRole('link')
  await page.getByText('There are no records.').waitFor()
  t.equal(await links.count(), 100)
  await page.getByRole('button', { name: '2900 more' }).scrollIntoViewIfNeeded()
  await eventually(t).equal(() => links.count(), 200)
  await page.evaluate(`location.hash = '#/service-1500'`)
  await page.locator('nav a[aria-current=page]').getByText('/service-1500').waitFor()
  t.equal(await page.locator('nav a[aria-current=page]').count(), 1)
  await page.getByRole('searchbox').fill('2999')
  await eventually(t).strictSame(() => links.allInnerTexts(), ['/service-2999'])
})
