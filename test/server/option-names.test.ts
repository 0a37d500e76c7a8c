import Fastify from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import t, { type Test } from 'tap'

async function createApp(t: Test, options: object = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, options)
  return app
}

const refused = (who: string, name: string, meant?: string) => ({
  message: new RegExp(`^${who} has no option '${name}'. There are: .+${meant ? `. Did you mean '${meant}'\\?` : ''}$`)
})

const ofPlugin: [options: object, name: string, meant?: string][] = [
  [{ errorhandler: {} }, 'errorhandler', 'errorHandler'],
  [{ querry: {} }, 'querry', 'query'],
  [{ hook: {} }, 'hook', 'hooks'],
  [{ idField: 'x' }, 'idField'],
  [{ errorHandler: { HTML: false } }, 'errorHandler.HTML', 'errorHandler.html'],
  [{ notFound: { verbos: true } }, 'notFound.verbos', 'notFound.verbose']
]

t.test('a misspelt option of the plugin is refused, with the name that was meant', async (t) => {
  for (const [options, ...names] of ofPlugin)
    await t.rejects(createApp(t, options), refused('fastify-services', ...names))
})

t.test('those that Fastify takes of every plugin are not refused', async (t) => {
  await createApp(t, { prefix: '/v1', logLevel: 'warn', query: (text: string) => ({ text }), notFound: true })
})

const ofService: [options: object, name: string, meant?: string][] = [
  [{ hook: { before: {} } }, 'hook', 'hooks'],
  [{ befor: [] }, 'befor', 'before'],
  [{ Schema: {} }, 'Schema', 'schema'],
  [{ multi: true }, 'multi']
]

t.test('a misspelt option of a service is refused, and names the service', async (t) => {
  const app = await createApp(t)
  for (const [options, ...names] of ofService)
    t.throws(() => app.service('things', { find: async () => [] }, options), refused("The service 'things'", ...names))
  app.service('things', { find: async () => [] }, { hooks: {}, before: [], handlerTimeout: 1000 })
})

t.test('a misspelt option of authentication is refused in the same way', async (t) => {
  const register = async (options: object) => {
    const app = await createApp(t)
    await app.register(authentication, { secret: 'x'.repeat(32), entity: null, ...options } as never)
  }
  const jwt = { expiresin: '1d' }
  await t.rejects(register({ jwt }), refused('Authentication', 'jwt.expiresin', 'jwt.expiresIn'))
  await t.rejects(register({ entityI: 'x' }), refused('Authentication', 'entityI', 'entity(Id)?'), 'one of two')
})
