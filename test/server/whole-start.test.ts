import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import { authenticate, hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { isKept } from '../support/kept.js'

// What keeps an application from its start, and what happens at the start and at the end.

const guard = authenticate('jwt')
const says = (error: unknown): string => {
  const { name, message, cause, errors } = Object(error)
  const causes = [cause ?? [], errors ?? []].flat().map(says)
  return [`${name}: ${message}`, ...causes].join(' < ')
}
const fine = () => 'fine'

/** What comes of the start of an application. */
async function start(add: (app: FastifyInstance) => unknown, options: object = {}) {
  const app = Fastify()
  try {
    await app.register(services, options)
    await add(app)
    return await app.ready().then(fine)
  } catch (error) {
    return says(error)
  } finally {
    await app.close().catch(fine)
  }
}

const names = 'onRequest preParsing preValidation preHandler preSerialization onSend onResponse onError'.split(' ')

t.test('hooks and middleware where they can not stand', async (t) => {
  const rows: Record<string, unknown> = {}
  const add = (options: object) => (app: FastifyInstance) =>
    app.service('in/things', { find: Object, get: Object }, options)
  for (const [name, hook] of Object.entries({ guard })) {
    for (const type of ['around', 'before', 'after', 'error']) {
      for (const [method, list] of Object.entries({ all: [hook], get: [Boolean, hook], remove: hook }))
        rows[`${name}, ${type} ${method}`] = await start(add({ hooks: { [type]: { [method]: list } } }))
      rows[`${name}, ${type} of all services`] = await start(add({}), { hooks: { [type]: { find: hook } } })
    }
    for (const type of ['before', 'after'])
      for (const list of [hook, [Boolean, hook]])
        rows[`${name}, middleware ${type}, ${typeof list}`] = await start(add({ [type]: list }))
    for (const type of names)
      rows[`${name}, ${type} of a route`] = await start((app) => app.get('/page', { [type]: [Boolean, hook] }, fine))
  }
  for (const type of names)
    for (const [name, hook] of Object.entries({ guard, none: Boolean }))
      rows[`${name}, ${type} of a route, alone`] = await start((app) => app.get('/page', { [type]: hook }, fine))
  const first = { hooks: { after: { all: guard }, error: { find: guard } }, before: [guard], after: guard }
  const hash = { after: { get: hashPassword('password') } }
  rows['of several the first'] = await start(add(first), { hooks: hash })
  rows['of several middleware the first'] = await start(add({ after: [guard], before: [guard] }))
  rows['hooks before middleware'] = await start(add({ hooks: hash, before: guard }))
  rows['of several services the first'] = await start((app) => {
    for (const [path, options] of Object.entries({ a: {}, b: { after: guard }, c: { before: guard } }))
      app.service(path, { find: Object }, options as object)
  })
  rows['of several routes the first, before services'] = await start((app) => {
    for (const url of ['/a', '/b']) app.get(url, { onSend: guard as never, preHandler: guard as never }, fine)
    add(first)(app)
  })
  rows['in a list that grew'] = await start((app) => {
    const list: unknown[] = []
    app.get('/page', { preHandler: list as never }, fine)
    list.push(guard)
  })
  isKept(t, rows, 'test/server/whole-start-hooks.txt')
})
