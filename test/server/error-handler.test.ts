import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import services, {
  Conflict,
  type ErrorHandlerOptions,
  errorHandler,
  frameworkErrors,
  NotAuthenticated,
  NotFound
} from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

/** A host that uses the error handler for its own routes, without the plugin. */
function createHost(t: Test, options?: ErrorHandlerOptions) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setErrorHandler(errorHandler(options))
  app.get('/conflict', async () => {
    throw new Conflict('Taken', { by: 'me' })
  })
  app.get('/broken', () => {
    throw new Error('broken')
  })
  app.get('/login', async () => {
    throw new NotAuthenticated()
  })
  app.post('/valid', { schema: { body: { type: 'object', required: ['a'] } } }, async () => ({}))
  return app
}

const accept = { accept: 'application/json' }

t.test('`app.setErrorHandler(errorHandler())`: the errors of a host in the same shape', async (t) => {
  const app = createHost(t)
  const response = await app.inject({ url: '/conflict', headers: accept })
  t.equal(response.statusCode, 409)
  t.strictSame(response.json(), {
    name: 'Conflict',
    message: 'Taken',
    code: 409,
    className: 'conflict',
    data: { by: 'me' }
  })
  t.match((await app.inject({ url: '/broken', headers: accept })).json(), {
    name: 'GeneralError',
    message: 'broken',
    code: 500
  })
  t.equal((await app.inject({ url: '/login', headers: accept })).headers['www-authenticate'], 'Bearer')
  t.match((await app.inject('/broken')).headers['content-type'], 'text/html')
})

t.test(
  '`app.setErrorHandler(errorHandler())`: validation errors of a host become BadRequest with `errors`',
  async (t) => {
    const response = await createHost(t).inject({ method: 'POST', url: '/valid', payload: {} })
    t.equal(response.statusCode, 400)
    t.match(response.json(), {
      name: 'BadRequest',
      code: 400,
      errors: [{ message: "must have required property 'a'" }]
    })
    t.match(
      (
        await createHost(t).inject({
          method: 'POST',
          url: '/valid',
          payload: '{',
          headers: { 'content-type': 'application/json' }
        })
      ).json(),
      {
        name: 'BadRequest',
        code: 400
      }
    )
  }
)

t.test('`app.setErrorHandler(errorHandler({ html: false, logger, expose }))`: with each option', async (t) => {
  const logged: unknown[] = []
  const app = createHost(t, { html: false, logger: { error: (error) => logged.push(error) }, expose: false })
  const response = await app.inject('/broken')
  t.match(response.json(), { message: 'Internal Server Error', code: 500 })
  t.match(logged, [{ message: 'broken' }])
})

/** A host with the plugin and routes of its own. */
async function createBoth(t: Test, prepare: (app: FastifyInstance) => void) {
  const app = Fastify()
  t.teardown(() => app.close())
  prepare(app)
  await app.register(services)
  app.service('things', {
    get: async () => {
      throw new Conflict('Taken')
    }
  })
  app.get('/own', async () => {
    throw new Conflict('Taken')
  })
  app.get('/lookup', async () => app.service<{ get(id: string): Promise<unknown> }>('things').get('1'))
  return app
}

t.test(
  "The error objects also carry `statusCode`, so that a host's own error handler answers the right status: the default one",
  async (t) => {
    const app = await createBoth(t, () => {})
    for (const url of ['/own', '/lookup']) {
      const response = await app.inject({ url, headers: accept })
      t.equal(response.statusCode, 409)
      t.match(response.json(), { statusCode: 409, message: 'Taken', error: 'Conflict' }, 'the body is that of Fastify')
    }
  }
)

t.test(
  "The error objects also carry `statusCode`, so that a host's own error handler answers the right status: one of its own",
  async (t) => {
    const app = await createBoth(t, (app) => {
      app.setErrorHandler<FastifyError>((error, _request, reply) =>
        reply.code(error.statusCode ?? 500).send({ mine: error.message })
      )
    })
    const answer = await app.inject({ url: '/own', headers: accept })
    t.equal(answer.statusCode, 409)
    t.strictSame(answer.json(), { mine: 'Taken' })
    const service = await app.inject({ url: '/things/1', headers: accept })
    t.strictSame(
      [service.statusCode, service.json().name],
      [409, 'Conflict'],
      'the routes of services answer in the error format'
    )
  }
)

const service = { get: async (id: string) => ({ id }) }

async function create(t: Test, handlesErrors: boolean) {
  const app = handlesErrors ? Fastify({ frameworkErrors }) : Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', service)
  return app
}

t.test("The router's own 400 (`%zz`): `Fastify({ frameworkErrors })` gives it this shape", async (t) => {
  const response = await getJSON(await create(t, true), '/things/%zz')
  t.equal(response.statusCode, 400)
  t.match(response.headers['content-type'], 'application/json')
  t.match(response.json(), { name: 'BadRequest', message: String, code: 400, className: 'bad-request' })
})

t.test("The router's own 414: `Fastify({ frameworkErrors })` gives it this shape", async (t) => {
  const response = await getJSON(await create(t, true), `/things/${'a'.repeat(101)}`)
  t.equal(response.statusCode, 414)
  t.match(response.json(), { name: 'UriTooLong', message: String, code: 414, className: 'uri-too-long' })
  t.equal((await getJSON(await create(t, true), `/things/${'a'.repeat(100)}`)).statusCode, 200)
})

t.test('frameworkErrors answers HTML to a browser, escaped', async (t) => {
  const response = await (await create(t, true)).inject({
    url: '/things/%zz<script>',
    headers: { accept: 'text/html' }
  })
  t.equal(response.statusCode, 400)
  t.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  t.notMatch(response.body, '<script')
})

t.test('frameworkErrors of a path without a service too, and the server goes on', async (t) => {
  const app = await create(t, true)
  t.match((await getJSON(app, '/%zz')).json(), { name: 'BadRequest', code: 400 })
  t.strictSame((await getJSON(app, '/things/1')).json(), { id: '1' })
})

t.test('without it the answer is that of Fastify, never 500', async (t) => {
  const app = await create(t, false)
  t.match((await getJSON(app, '/things/%zz')).json(), { statusCode: 400 })
  t.match((await getJSON(app, `/things/${'a'.repeat(5000)}`)).json(), { statusCode: 414 })
})

t.test('with options: `Fastify({ frameworkErrors: errorHandler(options) })`', async (t) => {
  const app = Fastify({ frameworkErrors: errorHandler({ html: false, logger: false }) })
  t.teardown(() => app.close())
  const response = await app.inject('/%zz')
  t.match(
    response.json(),
    { name: 'BadRequest', code: 400, className: 'bad-request' },
    'JSON, though it is not asked for'
  )
})

interface Line {
  level: number
  msg: string
  reqId?: string
  err?: { message: string; stack: string; type: string }
}

const errors: Record<string, () => unknown> = {
  broken: () => new Error('broken'),
  missing: () => new NotFound('missing'),
  text: () => 'text',
  gateway: () => Object.assign(new Error('gateway'), { statusCode: 502 })
}

/** The lines that the application logs for a request, beside those of Fastify for each request. */
async function linesOf(
  t: Test,
  id: string,
  errorHandler: ErrorHandlerOptions = {},
  logger: object = {}
): Promise<Line[]> {
  const lines: Line[] = []
  const stream = {
    write: (line: string) => {
      lines.push(JSON.parse(line))
    }
  }
  const get = async () => {
    throw errors[id]?.()
  }
  const app = await createApp(t, {
    service: { get },
    plugin: { errorHandler },
    server: { logger: { level: 'debug', stream, ...logger } }
  })
  await getJSON(app, '/things/1')
  return lines.filter(({ msg }) => !/^(incoming request|request completed)$/.test(msg))
}

t.test('Logged through `request.log` by default: `error` for 5xx', async (t) => {
  for (const id of ['broken', 'gateway', 'text']) {
    const [line, ...more] = await linesOf(t, id)
    t.match(line, { level: 50, msg: id, reqId: String, err: { message: id } })
    t.strictSame(more, [], 'once')
  }
})

t.test('Logged through `request.log` by default: the stack is there', async (t) => {
  t.match((await linesOf(t, 'broken'))[0]?.err?.stack, 'error-handler.test')
})

t.test('a logger may set the error of the record that it gets', async (t) => {
  const log = (record: { err?: Error }) => Object.assign(record, { err: { message: `own: ${record.err?.message}` } })
  const [line] = await linesOf(t, 'broken', {}, { formatters: { log } })
  t.match(line, { msg: 'broken', err: { message: 'own: broken' } })
})

t.test(
  'Logged through `request.log` by default: `info` below 5xx, in one line; the stack is for `debug`',
  async (t) => {
    const lines = await linesOf(t, 'missing')
    t.match(lines, [
      { level: 30, msg: 'missing', code: 404, reqId: String, err: undefined },
      { level: 20, msg: 'missing', reqId: String, err: { stack: /error-handler.test/ } }
    ])
    t.equal(lines.length, 2)
  }
)

t.test('a given `logger` gets `logger.error(error)`, and `request.log` nothing', async (t) => {
  const seen: unknown[][] = []
  const logger = {
    own: true,
    error(this: { own: boolean }, ...args: unknown[]) {
      seen.push([this.own, ...args])
    }
  }
  t.strictSame(await linesOf(t, 'broken', { logger }), [])
  t.strictSame(await linesOf(t, 'missing', { logger }), [])
  t.match(seen, [
    [true, { message: 'broken' }],
    [true, { message: 'missing', code: 404 }]
  ])
  t.ok(seen.every((args) => args.length === 2 && args[1] instanceof Error))
})

t.test('`logger: false` disables logging', async (t) => {
  t.strictSame(await linesOf(t, 'broken', { logger: false }), [])
})

t.test('a `logger` that throws changes nothing for the caller', async (t) => {
  const logger = {
    error() {
      throw new Error('disk full')
    }
  }
  const app = await createApp(t, {
    service: {
      get: async () => {
        throw new NotFound('missing')
      }
    },
    plugin: { errorHandler: { logger } }
  })
  const response = await getJSON(app, '/things/1')
  t.equal(response.statusCode, 404)
  t.match(response.json(), { name: 'NotFound', message: 'missing' })
})

t.test('The stack of an error, which is expensive to read, is read where it is logged only', async (t) => {
  const stream = { write() {} }
  const loggers = { off: false, 'too quiet': { level: 'info', stream }, on: { level: 'debug', stream } } as const
  for (const [name, logger] of Object.entries(loggers)) {
    let reads = 0
    const get = () => {
      reads += 1
      return 'NotFound: missing'
    }
    const app = Fastify({ logger })
    t.teardown(() => app.close())
    await app.register(services)
    app.service('things', {
      async get() {
        throw Object.defineProperty(new NotFound('missing'), 'stack', { get })
      }
    })
    t.equal((await app.inject('/things/1')).statusCode, 404)
    t.equal(reads > 0, name === 'on', name)
  }
})
