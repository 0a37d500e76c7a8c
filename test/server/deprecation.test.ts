import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { type Deprecation, NotFound } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

async function createApp(t: Test, deprecated: true | Deprecation | undefined) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('link', '</style.css>; rel="preload"')
  })
  const notes = {
    find: async () => [],
    get: async (id: unknown) => {
      throw new NotFound(`No note '${id}'`)
    },
    archive: async () => null
  }
  app.service('notes', notes, { methods: ['find', 'get', 'archive'], ...(deprecated && { deprecated }) })
  return app
}

const headersOf = async (app: Awaited<ReturnType<typeof createApp>>, url = '/notes') => {
  const { deprecation, sunset, link } = (await app.inject(url)).headers
  return { deprecation, sunset, link }
}
const preload = '</style.css>; rel="preload"'

t.test('answers of deprecated methods say so, errors too', async (t) => {
  const link = 'https://example.com/v2?from=notes'
  const app = await createApp(t, { at: '2026-01-01', sunset: new Date('2027-01-01'), link })
  const expected = {
    deprecation: '@1767225600',
    sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    link: [preload, `<${link}>; rel="deprecation"`]
  }
  t.strictSame(await headersOf(app), expected)
  t.strictSame(await headersOf(app, '/notes/1'), expected)
  t.strictSame(await headersOf(await createApp(t, true)), { deprecation: '@0', sunset: undefined, link: preload })
  t.strictSame(await headersOf(await createApp(t, undefined)), {
    ...{ deprecation: undefined, sunset: undefined, link: preload }
  })
})

t.test('some methods of a service, also in the document', async (t) => {
  const app = await createApp(t, { methods: ['get', 'archive'] })
  t.match(await headersOf(app), { deprecation: undefined })
  t.match(await headersOf(app, '/notes/1'), { deprecation: '@0' })
  const archived = await app.inject({ method: 'POST', url: '/notes', headers: { 'x-service-method': 'archive' } })
  t.match(archived.headers, { deprecation: '@0' })
  const { paths = {} } = app.swagger() as { paths?: Record<string, Record<string, { deprecated?: boolean }>> }
  t.equal(paths['/notes']?.get?.deprecated, undefined)
  t.equal(paths['/notes/{id}']?.get?.deprecated, true)
  t.equal(paths['/notes']?.post?.deprecated, true)
})

t.test('what can not be sent is refused', async (t) => {
  for (const [deprecated, message] of [
    [false, /`deprecated` of the service 'notes' must be true or an object, got false/],
    [{ at: 'soon' }, /`deprecated.at` of the service 'notes' must be a Date/],
    [{ sunset: 1 }, /`deprecated.sunset`/],
    [{ link: 'a\r\nb' }, /`deprecated.link`/],
    [{ link: 'a>; rel="x"' }, /`deprecated.link`/],
    [{ until: '2027-01-01' }, /no option 'deprecated.until'/],
    [{ methods: ['gett'] }, /names 'gett', which clients can't call. Did you mean 'get'\?/],
    [{ at: '2027-01-01', sunset: '2026-01-01' }, /`sunset` is before `at`/]
  ] as const) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    t.throws(() => app.service('notes', { get: async () => null }, { deprecated: deprecated as never }), { message })
  }
})
