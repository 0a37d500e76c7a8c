import swagger from '@fastify/swagger'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { allow, authenticate, own, within } from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

const roles = allow({ admin: true, member: { find: true, patch: ['title', 'text'] }, none: false }, { except: ['get'] })

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(services)
  await app.register(authentication, {
    secret: 'x'.repeat(40),
    entity: null,
    strategies: { jwt: true },
    guard: ['jwt'],
    public: ['']
  })
  const methods = { methods: ['find', 'get', 'patch', 'remove'] as const }
  app.service('posts', new MemoryService({}), {
    methods: [...methods.methods],
    hooks: { around: { all: [roles, own('userId', { except: ['remove'] })] } }
  })
  const nobody = allow({ member: { find: true, get: undefined } })
  app.service('odd', new MemoryService({}), { methods: ['get'], hooks: { around: { all: [nobody] } } })
  app.service('', { find: async () => [], stats: async () => ({}) }, { methods: ['find', 'stats'] })
  const both = { hooks: { around: { all: [authenticate('jwt')] } } }
  app.service('closed', { find: async () => [] }, { ...both, schema: { find: { description: 'All of them.' } } })
  await app.ready()
  return app
}

t.test('printServices: verbs, URLs, who may call, roles and scopes', async (t) => {
  const app = await create(t)
  const text = app.printServices()
  const lines = [
    'posts',
    '  find    GET     /posts                       Bearer; admin, member; records of the caller',
    '  get     GET     /posts/:id                   Bearer; records of the caller',
    '  patch   PATCH   /posts/:id                   Bearer; admin, member (title, text); records of the caller',
    '  remove  DELETE  /posts/:id                   Bearer; admin',
    '',
    'odd',
    '  get     GET     /odd/:id                     Bearer; nobody',
    '',
    '/',
    '  find    GET     /                            anybody',
    '  stats   POST    / (X-Service-Method: stats)  anybody',
    '',
    'closed',
    '  find    GET     /closed                      Bearer'
  ]
  t.ok(text.includes(lines.join('\n')), text)
})

t.test('a method that within leaves alone has other records, too', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('posts', new MemoryService({}))
  app.service('posts/:postId/notes', new MemoryService({}), {
    methods: ['find', 'get'],
    hooks: { around: { all: [within('posts', { except: ['get'] }), own('author', { except: ['get'] })] } }
  })
  await app.ready()
  const lines = app.printServices().split('\n')
  t.match(
    lines.find((line) => /find .*notes/.test(line)),
    /records of the caller$/
  )
  t.notMatch(lines.join('\n'), 'caller; records', 'two hooks that say the same are told once')
  t.match(
    lines.find((line) => /get .*notes/.test(line)),
    /anybody$/
  )
})

t.test('OpenAPI documents say it too', async (t) => {
  const app = await create(t)
  const { paths = {} } = app.swagger()
  t.match(paths['/posts/{id}'], {
    patch: {
      description: 'For: admin, member (title, text); records of the caller.',
      responses: { 401: {}, 403: {} },
      security: [{ Bearer: [] }]
    },
    get: { description: 'For: records of the caller.' }
  })
  t.match(paths['/closed'], { get: { description: 'All of them.', security: [{ Bearer: [] }] } })
})
