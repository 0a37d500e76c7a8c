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

const beginsWith = (text: string) => ({ message: new RegExp(`^${text.replace(/[.?]/g, '\\$&')}`) })

const ofPlugin = [
  [{ errorhandler: {} }, "'errorhandler': did you mean 'errorHandler'?"],
  [{ querry: {} }, "'querry': did you mean 'query'?"],
  [{ hook: {} }, "'hook': did you mean 'hooks'?"],
  [{ idField: 'x' }, "'idField'. There are: query, formatter, hooks, notFound, errorHandler"],
  [{ errorHandler: { HTML: false } }, "'errorHandler.HTML': did you mean 'errorHandler.html'?"],
  [{ notFound: { verbos: true } }, "'notFound.verbos': did you mean 'notFound.verbose'?"]
] as const

t.test('a misspelt option of the plugin is refused, with the name that was meant', async (t) => {
  for (const [options, message] of ofPlugin)
    await t.rejects(createApp(t, options), beginsWith(`fastify-services has no option ${message}`))
})

t.test('those that Fastify takes of every plugin are not refused', async (t) => {
  await createApp(t, { prefix: '/v1', logLevel: 'warn', query: (text: string) => ({ text }), notFound: true })
})

const ofService = [
  [{ hook: { before: {} } }, "'hook': did you mean 'hooks'?"],
  [{ befor: [] }, "'befor': did you mean 'before'?"],
  [{ Schema: {} }, "'Schema': did you mean 'schema'?"],
  [{ multi: true }, "'multi'. There are: methods, events, hooks"]
] as const

t.test('a misspelt option of a service is refused, and names the service', async (t) => {
  const app = await createApp(t)
  for (const [options, message] of ofService)
    t.throws(
      () => app.service('things', { find: async () => [] }, options as object),
      beginsWith(`The service 'things' has no option ${message}`)
    )
  app.service('things', { find: async () => [] }, { hooks: {}, before: [], handlerTimeout: 1000 })
})

t.test('a misspelt option of authentication is refused in the same way', async (t) => {
  const app = await createApp(t)
  app.service('users', { find: async () => [], get: async (id: string) => ({ id }) })
  const secret = 'x'.repeat(32)
  await t.rejects(async () => app.register(authentication, { secret, jwt: { expiresin: '1d' } } as never), {
    message: /^Authentication has no option 'jwt\.expiresin': did you mean 'jwt\.expiresIn'\?/
  })
})
