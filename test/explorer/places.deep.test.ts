import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite } from './site.js'

t.setTimeout(120_000)

t.test('a service without a list has a way back', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1.0.0' } }))
  await app.register(services)
  app.service('notes', {
    get: async (id: unknown) => ({ id }),
    create: async (data: object) => ({ ...data, id: 1 }),
    patch: async (id: unknown) => ({ id })
  })
  await app.register(explorer)
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  for (const call of ['get', 'patch']) {
    await page.evaluate(`location.hash = '#/notes?call=${call}&id=1'`)
    await page.getByRole('heading').getByRole('link', { name: '/notes' }).click()
    await page.getByRole('button', { name: 'Create' }).waitFor()
    await eventually(t).equal(() => page.getByText('There is nothing here.').count(), 0, call)
  }
})

t.test('a page past the last says so', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.evaluate(`location.hash = '#/posts?skip=20'`)
  await page.getByText('There are no more records: this page is past the last one.').waitFor()
  await page.getByText('Past the last of 12').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText('11–12 of 12').waitFor()
})

t.test('at a path with two slashes it asks its own host', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.route('**/*', async (route) => {
    const url = route.request().url().replace(`${address}//`, `${address}/`)
    await route.fulfill({ response: await route.fetch({ url }) })
  })
  await page.goto(`${address}//explorer`)
  await page.getByText('1–10 of 12').waitFor()
  t.pass()
})

t.test('where nothing hovers, the headings that sort can be told', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  for (const [isMobile, opacity] of [
    [false, '0'],
    [true, '0.7']
  ] as const) {
    const page = await openExplorer(t, address, { isMobile, hasTouch: isMobile })
    await page.getByText('1–10 of 12').waitFor()
    await eventually(t).equal(
      () => page.evaluate(`getComputedStyle(document.querySelector('.sort > span')).opacity`),
      opacity
    )
  }
})
