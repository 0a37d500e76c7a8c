import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import { authenticate, hashPassword } from 'fastify-services/authentication'
import t from 'tap'

const guard = authenticate('jwt')
const early = ['onRequest', 'preParsing', 'preValidation', 'preHandler']
const late = ['preSerialization', 'onSend', 'onResponse', 'onError']
const alone = (place: string) => `authenticate('jwt') at '${place}': There is no authentication here`
const misplaced = (place: string) => `authenticate at '${place}' is a hook for 'before' or 'around', not for`

/** The error that keeps an application from its start. */
async function start(add: (app: FastifyInstance) => unknown, options: object = {}): Promise<string> {
  const app = Fastify()
  try {
    await app.register(services, options)
    await add(app)
    await app.ready()
    return 'none'
  } catch (error) {
    return (error as Error).message
  } finally {
    await app.close().catch(() => {})
  }
}
const add = (options: object) => (app: FastifyInstance) =>
  app.service('in/things', { find: Object, get: Object }, options)
const page = (hooks: object) => (app: FastifyInstance) => app.get('/page', hooks, () => 'fine')

t.test('a guard without an authentication, or behind the method, stops the start', async (t) => {
  for (const type of ['around', 'before', 'after', 'error']) {
    const message = (type === 'around' || type === 'before' ? alone : misplaced)('in/things')
    for (const hooks of [{ all: [guard] }, { get: [Boolean, guard] }, { find: guard }])
      t.match(await start(add({ hooks: { [type]: hooks } })), message, `${type} of a service`)
    t.match(await start(add({}), { hooks: { [type]: { find: guard } } }), message, `${type} of all services`)
    t.equal(await start(add({ hooks: { [type]: { remove: guard } } })), 'none', `${type} of a method that is not there`)
  }
  for (const list of [guard, [Boolean, guard]]) {
    t.match(await start(add({ before: list })), alone('in/things'), 'middleware before')
    t.match(await start(add({ after: list })), misplaced('in/things'), 'middleware after')
  }
})

t.test('so does one in a route of the application, alone, in a list, and in one that grows', async (t) => {
  for (const [types, message] of [
    [early, alone('/page')],
    [late, misplaced('/page')]
  ] as const)
    for (const type of types)
      for (const hooks of [guard, [Boolean, guard]]) t.match(await start(page({ [type]: hooks })), message, type)
  const list: unknown[] = []
  const grow = (app: FastifyInstance) => {
    page({ preHandler: list })(app)
    list.push(guard)
  }
  t.match(await start(grow), alone('/page'))
})

t.test('of several mistakes the first is told: hooks, then middleware', async (t) => {
  const hash = { after: { get: hashPassword('password') } }
  const hooks = { after: { all: guard }, error: { find: guard } }
  t.match(await start(add({ hooks, before: [guard] }), { hooks: hash }), "hashPassword at 'in/things' is a hook for")
  t.match(await start(add({ hooks: hash, before: guard })), "hashPassword at 'in/things' is a hook for")
  t.match(await start(add({ after: [guard], before: [guard] })), alone('in/things'))
})
