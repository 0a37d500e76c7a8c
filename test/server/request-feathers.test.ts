import type { FastifyRequest } from 'fastify'
import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

t.test('the members are those of the plugin: another one of such a name is refused by Fastify', async (t) => {
  const { app } = await createHost(t)
  t.ok(app.hasRequestDecorator('feathers'))
  for (const name of ['data', 'hook', 'format']) t.ok(app.hasReplyDecorator(name), name)
})

t.test('Middleware may set properties on `request.feathers`; they become service params', async (t) => {
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.addHook('preHandler', async (request) => {
        request.feathers.user = { id: 7 }
        request.feathers.ip = request.ip
      })
    }
  })
  for (const [verb, url, payload] of [
    ['GET', '/things'],
    ['GET', '/things/1'],
    ['POST', '/things', {}],
    ['PATCH', '/things/1', {}],
    ['DELETE', '/things/1']
  ] as const) {
    await request(app, verb, url, payload && { payload })
  }
  t.equal(calls.length, 5)
  for (const { params } of calls)
    t.match(params, { user: { id: 7 }, ip: '127.0.0.1', provider: 'rest', query: {}, route: {} })
})

t.test(
  'Middleware of every phase: onRequest, preParsing, preValidation, preHandler, and that of the service',
  async (t) => {
    const { service, calls } = createRecorder()
    const mark = (name: string) => async (request: FastifyRequest) => {
      request.feathers[name] = true
    }
    const { app } = await createHost(t, {
      before: (app) => {
        app.addHook('onRequest', mark('onRequest'))
        app.addHook('preParsing', mark('preParsing'))
        app.addHook('preValidation', mark('preValidation'))
        app.addHook('preHandler', mark('preHandler'))
      },
      after: (app) => {
        app.service('marked', service, { before: [mark('before')] })
      }
    })
    await request(app, 'POST', '/marked', { payload: {} })
    t.match(calls[0]?.params, {
      onRequest: true,
      preParsing: true,
      preValidation: true,
      preHandler: true,
      before: true
    })
  }
)

t.test('lazy, remembered: the same object at each look, another one for each request', async (t) => {
  const seen: unknown[] = []
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.addHook('preHandler', async (request) => {
        seen.push(request.feathers)
        t.equal(request.feathers, request.feathers)
      })
    }
  })
  await request(app, 'GET', '/things')
  await request(app, 'GET', '/things')
  t.not(seen[0], seen[1])
  t.strictSame(seen, [{}, {}])
  t.strictSame(Object.keys(calls[0]?.params ?? {}).sort(), ['headers', 'provider', 'query', 'route'])
})

t.test('assigning an object merges it', async (t) => {
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.addHook('preHandler', async (request) => {
        const { feathers } = request
        request.feathers = { a: 1, b: 1 }
        request.feathers = { b: 2, c: 3 }
        request.feathers = null as never
        request.feathers = undefined as never
        t.equal(request.feathers, feathers, 'it is never replaced')
      })
    }
  })
  await request(app, 'GET', '/things')
  t.match(calls[0]?.params, { a: 1, b: 2, c: 3 })
})

t.test('`provider` always `rest`: `request.feathers` can not say otherwise', async (t) => {
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.addHook('onRequest', async (request) => {
        request.feathers.provider = undefined
        request.feathers = { provider: 'internal' }
      })
    }
  })
  await request(app, 'GET', '/things')
  t.equal(calls[0]?.params.provider, 'rest')
})

t.test('`...request.feathers` stands over `query`, `headers` and `route`', async (t) => {
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.addHook('preHandler', async (request) => {
        request.feathers = { query: { mine: true }, headers: {}, route: { a: 'b' } }
      })
    }
  })
  await request(app, 'GET', '/things?a=1')
  const params = Object.fromEntries(Object.entries(calls[0]?.params ?? {}))
  t.strictSame(params, { query: { mine: true }, headers: {}, route: { a: 'b' }, provider: 'rest' })
})

t.test('what hooks put on the params does not come back to `request.feathers`', async (t) => {
  let feathers: unknown
  const { service } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('hooked', service, {
        before: async (request) => {
          request.feathers.user = 'ada'
        },
        hooks: {
          before: {
            all: [
              (context: HookContext) => {
                context.params.extra = true
              }
            ]
          }
        },
        after: async (request) => {
          feathers = request.feathers
        }
      })
    }
  })
  await request(app, 'GET', '/hooked')
  t.strictSame(feathers, { user: 'ada' })
})

t.test("`request.feathers` is there on the host's own routes too", async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      app.get('/own', async (request) => {
        request.feathers = { user: 1 }
        return request.feathers
      })
    }
  })
  t.strictSame((await request(app, 'GET', '/own')).body, { user: 1 })
})
