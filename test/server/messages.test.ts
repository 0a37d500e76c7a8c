import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { type HookContext, type ServicesOptions } from 'fastify-services'
import t, { type Test } from 'tap'

// Errors that other tests know by their kind alone: what they tell.

async function create(t: Test, options: ServicesOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, options)
  return app
}

const ask = async (app: FastifyInstance, options: InjectOptions) => {
  const response = await app.inject({ ...options, headers: { accept: 'application/json', ...options.headers } })
  return `${response.statusCode} ${response.json().message}`
}
const answer = async () => ({})

t.test('a second registration, a late set-up, hooks of set-up, a listener that is none', async (t) => {
  const app = await create(t)
  await t.rejects(async () => app.register(services), {
    message: 'fastify-services is registered here already: use app.service() of that registration'
  })
  const other = await create(t)
  const things = other.service('things', { get: answer })
  for (const listener of [undefined, 'text'])
    t.throws(() => things.on('created', listener as never), { message: "The listener of 'created' must be a function" })
  await other.ready()
  await t.rejects(other.setup(), {
    message:
      'The services are set up already: call app.setup(server) in place of app.ready(), before inject() and listen()'
  })
  for (const method of ['setup', 'teardown'])
    await t.rejects(create(t, { hooks: { before: { [method]: [() => {}] } } }), {
      message: `'${method}' has no hooks here: use onReady and onClose of the application`
    })
})

t.test('an empty id, headers that can not be sent, a representation that is not there', async (t) => {
  const app = await create(t)
  const set = (headers: NonNullable<HookContext['http']['headers']>) => ({
    hooks: {
      after: [
        (context: HookContext) => {
          context.http.headers = headers
        }
      ]
    }
  })
  app.service('things', { patch: answer, remove: answer })
  app.service('names', { find: answer }, set({ 'not a name': '1' }))
  app.service('values', { find: answer }, set({ 'x-value': 'two\nlines' }))
  app.service('lists', { find: answer }, set({ 'x-value': ['one', undefined as never] }))
  app.service('pages', { find: answer }, { formatter: (_request, reply) => reply.format({ 'text/html': () => '' }) })
  const payload = {}
  t.equal(
    await ask(app, { method: 'PATCH', url: '/things/', payload }),
    '400 The id is empty: to patch many records, leave the slash out'
  )
  const whats = {
    names: 'a header of a name',
    values: "the header 'x-value' to a value",
    lists: "the header 'x-value' to a value"
  }
  for (const [url, what] of Object.entries(whats))
    t.equal(await ask(app, { url: `/${url}` }), `500 A hook of ${url}.find has set ${what} that HTTP can't carry`)
  t.equal(await ask(app, { url: '/pages' }), '406 Acceptable are: text/html')
})
