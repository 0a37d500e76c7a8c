import { setImmediate as settled } from 'node:timers/promises'
import { feathers } from '@feathersjs/feathers'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type InjectOptions,
  type RouteOptions
} from 'fastify'
import services, { type HookContext, type Params, resource } from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t from 'tap'
import { markOf } from '../../lib/core/description.js'
import { ownInstanceFacts } from '../../lib/core/host.js'
import { isKept } from '../support/kept.js'

// The routes that services add, and custom methods that a request names in its header.

const routes = { publish: 'POST /:id/publish', hide: 'PATCH /:id/comments/:commentId', stats: 'GET /stats' } as const
const names = ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'stats', 'archive']
const objectOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [name, async (...args: [Params]) => [name, ...args.slice(0, -1), args.at(-1)?.route]])
  )

async function create() {
  const app = Fastify()
  await app.register(services, { errorHandler: { html: false, logger: false } })
  return app
}

async function ask(app: FastifyInstance, request: InjectOptions) {
  const { statusCode, headers, body } = await app.inject(request)
  const answer = body === '' ? '' : JSON.parse(body)
  return `${[statusCode, headers.allow ?? [], answer.message ?? JSON.stringify(answer)].flat().join(' ')}`
}

const headers = { 'content-type': 'application/json' }
const bodies = ['', '{}', '{"id":1}', '{"id":"a/b","commentId":0,"text":"a"}', '{"id":"","commentId":1}', '{"id":null}']
const others = ['{"id":1,"commentId":[1]}', '[{"id":1,"commentId":2}]', '"text"', 'null', '{"id":1.5,"commentId":" "}']

t.test('custom methods by the header, with values for their placeholders in the data', async (t) => {
  const app = await create()
  const answers: Record<string, string> = {}
  const methods = [...names, 'hide']
  app.service('posts', objectOf(methods), { methods, routes })
  app.service('items/:id/parts', objectOf(['get', 'hide']), { methods: ['get', 'hide'], routes: { hide: routes.hide } })
  app.service('made', objectOf(['create']))
  app.service('none', objectOf(['find']), { methods: [] })
  for (const url of ['/posts', '/posts/', '/posts/1', '/items/3/parts', '/items//parts', '/made', '/none', '/none/1'])
    for (const name of ['archive', 'stats', 'hide', 'find', 'Archive', '', 'toString', 'archive,stats'])
      for (const method of name === 'archive'
        ? (['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const)
        : ['POST'])
        answers[`${name} by ${method} ${url}`] = await ask(app, {
          method: method as 'POST',
          url,
          headers: { 'x-service-method': name }
        })
  for (const name of ['archive', 'publish', 'hide', 'stats'])
    for (const payload of [...bodies, ...others])
      for (const url of name === 'hide' ? ['/posts', '/items/3/parts'] : ['/posts'])
        answers[`${name} at ${url}: ${payload}`] = await ask(app, {
          method: 'POST',
          url,
          headers: { ...headers, 'x-service-method': name },
          payload
        })
  for (const payload of ['', 'id=1', 'commentId=a&id=2&x=1'])
    answers[`hide, a form: ${payload}`] = await ask(app, {
      method: 'POST',
      url: '/posts',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-service-method': 'hide' },
      payload
    })
  isKept(t, answers, 'test/server/whole-route-header.txt')
})

const options =
  'schema config bodyLimit handlerTimeout exposeHeadRoute prefixTrailingSlash attachValidation constraints'
const hooks = 'onRequest preParsing preValidation preHandler preSerialization onSend onResponse onError onTimeout'

/** What a route says. */
function told(route: RouteOptions, name: unknown) {
  const given = route as unknown as Record<string, unknown>
  const of = (names: string, show: (value: unknown) => unknown) =>
    names.split(' ').flatMap((name) => (name in given ? [`${name} ${show(given[name])}`] : []))
  const own = [...of(options, JSON.stringify), ...of(hooks, (hooks) => [hooks].flat().length)]
  const { endpoint, name: method } = Object(markOf(route))
  own.push(`calls ${method} at ${JSON.stringify(endpoint)}`)
  return [`${route.method} ${route.url}`, name, (route.handler as unknown as { name: string }).name, own.join(', ')]
}

t.test('the routes that services add', async (t) => {
  const seen: unknown[] = []
  const body = { type: 'object', properties: { text: { type: 'string' } } }
  const app = await create()
  app.addHook('onRoute', function (route) {
    seen.push(told(route, this.pluginName))
  })
  app.service('posts', objectOf(names), {
    methods: names,
    routes: { publish: routes.publish, stats: routes.stats },
    schema: { find: { summary: 'All' }, create: { body }, publish: { body }, archive: { body, tags: ['x'] } } as never,
    before: [Boolean, Boolean],
    after: Boolean as never,
    config: { own: true },
    bodyLimit: 100,
    handlerTimeout: 5000
  })
  app.service('', objectOf(['find', 'patch']))
  app.service('a/:id', objectOf(['find', 'get']))
  app.service('limited', objectOf(['create']), { bodyLimit: 1, handlerTimeout: 1, config: {} })
  app.service('records', objectOf(['find', 'create', 'patch']), { schema: resource(body) as never })
  app.register(async (app) => void app.service('', objectOf(['find', 'create', 'remove'])), { prefix: '/v1' })
  await app.ready()
  isKept(t, seen, 'test/server/whole-route-options.txt')
})

t.test('middleware runs in its order, and formatters of the plugin and of a service', async (t) => {
  const app = Fastify()
  const formatter = async (_request: unknown, reply: { data: unknown }) => `plugin: ${JSON.stringify(reply.data)}`
  await app.register(services, { formatter, errorHandler: { html: false, logger: false } })
  const log: string[] = []
  const note = (name: string) => async () => void log.push(name)
  const hook = { hooks: { before: { find: (context: HookContext) => void log.push(`hook ${context.method}`) } } }
  const own = { ...hook, before: [note('one'), note('two')], after: [note('three'), note('four')] }
  app.service('all', objectOf(['find']), own)
  app.service('single', objectOf(['find']), { before: note('before'), after: note('after') })
  app.service('own', objectOf(['find']), { formatter: async () => 'own' })
  app.service('sent', objectOf(['find']), {
    ...own,
    before: [async (_request, reply) => reply.code(299).send('sent'), note('never')]
  })
  app.service('late', objectOf(['find']), {
    ...own,
    after: [async (_request, reply) => reply.send('late'), note('never')]
  })
  for (const url of ['/all', '/single', '/own', '/sent', '/late']) {
    const { statusCode, body } = await app.inject(url)
    log.push(`${statusCode} ${body}`)
  }
  isKept(t, log, 'test/server/whole-route-middleware.txt')
})

t.test('credentials are read before the middleware of services of our own, and of no others', async (t) => {
  const app = await create()
  const log: unknown[] = []
  const application = feathers()
  application.use('theirs', { find: async ({ authentication }: Params) => ({ authentication }) })
  await app.register(mounted, { app: application })
  const readCredentials = async (request: FastifyRequest, reply: FastifyReply) => {
    await settled()
    log.push(`read of ${request.url}, ${reply.sent}`)
    request.feathers.authentication = 'read'
  }
  ownInstanceFacts(app).authentications = [{ app, readCredentials, service: undefined, strategyNames: [] } as never]
  const find = async ({ authentication }: Params) => ({ authentication })
  app.service('ours', { find }, { before: async (request) => void log.push(request.feathers) })
  for (const url of ['/ours', '/theirs']) log.push((await app.inject(url)).body)
  isKept(t, log, 'test/server/whole-route-credentials.txt')
})
