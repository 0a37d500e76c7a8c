import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { corsOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { executablePath, howToInstall, openPage } from '../support/chromium.js'
import type { Api } from '../support/client-api.js'
import { createLoginServer, credentials, user } from '../support/client-login.js'
import { openEventsSite, type SiteClient } from '../support/events-site.js'
import { type Asked, ask, expired, inURL, long, serveQueried, skip, typed } from '../support/query-app.js'

const isInChromium = { skip: skip || (executablePath === undefined && howToInstall) }
const libraries = ['api', 'fetchApi', 'axiosApi', 'superagentApi']

t.test('in Chromium, across origins', isInChromium, async (t) => {
  const page = await openPage(t as Test, { hasCORS: true })
  const printed: string[] = []
  page.on('console', (message) => printed.push(message.text()))
  const asks = (name: string, asked: Asked) =>
    page.evaluate(`(${ask})(globalThis.${name}, ${JSON.stringify(asked)})`) as Promise<unknown[]>
  const { base, requests } = await serveQueried(t as Test)
  for (const name of libraries) {
    const told = await asks(name, { base, options: { query: 'body' }, queries: [typed, long] })
    t.same(told, [{ query: typed }, { query: long }], name)
    const learned = await asks(name, { base, options: {}, queries: [inURL, typed] })
    t.same(learned, [{ query: inURL }, { query: typed }], `${name}, by itself`)
    t.same(requests.splice(0), ['QUERY /queried', 'QUERY /queried', 'GET /queried?a=1', 'QUERY /queried'], name)
  }
  // Without `exposedHeaders` the page does not see `Accept-Query`. What a URL can not express is a QUERY all the same.
  const { base: hidden, requests: hiddenRequests } = await serveQueried(t as Test, { cors: { exposedHeaders: [] } })
  for (const name of libraries)
    t.same(await asks(name, { base: hidden, options: {}, queries: [inURL, { a: null }] }), [
      { query: inURL },
      { query: { a: null } }
    ])
  t.same(
    hiddenRequests,
    libraries.flatMap(() => ['GET /queried?a=1', 'QUERY /queried'])
  )
})

t.test('in Chromium, across origins: a token that has expired is renewed', isInChromium, async (t) => {
  const before = (app: FastifyInstance) => app.register(cors, { ...corsOptions })
  const { app: server, address } = await createLoginServer(t as Test, { refresh: true }, before)
  const queries: unknown[] = []
  server.service('me').hooks({ before: { find: [({ params }) => void queries.push(params.query)] } })
  const page = await openPage(t as Test, { hasCORS: true })
  const scenario = async (
    api: Api,
    settings: { base: string; expired: string; credentials: object; query: object }
  ) => {
    const storage = api.door.memoryStorage()
    const client = api.client(settings.base, { query: 'body' }).configure(api.door.authentication({ storage }))
    await client.authenticate(settings.credentials as never)
    await storage.setItem('feathers-jwt', settings.expired)
    return api.outcome(() => client.service('me').find({ query: settings.query } as never))
  }
  for (const name of libraries) {
    const argument = { base: address, expired, credentials, query: typed }
    const told = await page.evaluate(`(${scenario})(globalThis.${name}, ${JSON.stringify(argument)})`)
    t.match(told, { email: user.email }, name)
    t.same(queries.splice(0), [typed], name)
  }
})

declare const watch: (email: string, path: 'private', query: object) => Promise<void>
declare const shown: { client: SiteClient; data: { text: string }[]; state: string }

t.test('in Chromium, across origins: a live list of a user', isInChromium, async (t) => {
  const before = (app: FastifyInstance) => app.register(cors, { ...corsOptions })
  const { address } = await openEventsSite(t as Test, {}, undefined, before)
  for (const mode of ['', '&body=1']) {
    const page = await openPage(t as Test, { hasCORS: true }, 'events-page.js', `?address=${address}${mode}`)
    await page.evaluate(() => watch('ada', 'private', { kind: { $in: [null, 'a'] } }))
    await page.waitForFunction(() => shown.state === 'live')
    const before = await page.evaluate(() => shown.data.length)
    await page.evaluate(() => shown.client.service('private').create({ text: 'of a kind', kind: 'a' }))
    await page.waitForFunction((length) => shown.data.length > length, before)
    t.equal(await page.evaluate(() => shown.data.at(-1)?.text), 'of a kind')
  }
})
