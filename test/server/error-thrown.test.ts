import Fastify from 'fastify'
import services, { BadRequest, errorHandler, type HookContext, NotFound } from 'fastify-services'
import t, { type Test } from 'tap'
import { type AppOptions, createApp, getJSON } from '../support/response-app.js'

const general = { name: 'GeneralError', code: 500, className: 'general-error' }
const fail = (value: unknown) => () => {
  throw value
}
const failLater = (value: unknown) => async () => {
  throw value
}
const get = async () => ({ id: 1 })

let thrown: unknown
const failNow = () => {
  throw thrown
}
const failSoon = async () => failNow()
/** The places that something may be thrown from. */
const places: Record<string, AppOptions> = {
  'a method': { service: { get: failSoon } },
  'a method that is not async': { service: { get: failNow } },
  'an around hook': { service: { get }, options: { hooks: { around: { get: [failNow] } } } },
  'a before hook': { service: { get }, options: { hooks: { before: { get: [failNow] } } } },
  'an after hook': { service: { get }, options: { hooks: { after: { get: [failSoon] } } } },
  'an error hook': {
    service: { get: fail(new NotFound()) },
    options: { hooks: { error: { get: [failSoon] } } }
  },
  'an application hook': { service: { get }, plugin: { hooks: { before: { all: [failNow] } } } },
  'a middleware before': { service: { get }, options: { before: failSoon } },
  'a middleware after': { service: { get }, options: { after: failSoon } },
  'a middleware with done': {
    service: { get },
    options: {
      after: (_request, _reply, _done) => {
        throw thrown
      }
    }
  },
  'a formatter': { service: { get }, plugin: { formatter: failNow } },
  'an async formatter': { service: { get }, plugin: { formatter: failSoon } }
}

const values: Record<string, unknown> = {
  'a string': 'broken',
  'a number': 42,
  '`{}`': {},
  '`null`': null,
  '`undefined`': undefined,
  'an empty string': '',
  'a symbol': Symbol('broken'),
  'a function': () => {},
  'an error without a prototype': Object.create(null),
  'a proxy whose traps throw': new Proxy(
    {},
    {
      get() {
        throw new Error('trap')
      },
      has() {
        throw new Error('trap')
      }
    }
  )
}

for (const [place, options] of Object.entries(places)) {
  t.test(
    `throw of a string, number, \`{}\`, \`null\`, \`undefined\`, in ${place}: 500 GeneralError in the error shape`,
    async (t) => {
      const app = await createApp(t, options)
      for (const [name, value] of Object.entries(values)) {
        thrown = value
        const response = await getJSON(app, '/things/1')
        t.equal(response.statusCode, 500, name)
        t.match(response.json(), general, name)
        t.type(response.json().message, 'string')
      }
    }
  )
}

t.test('throw of a string: its text is the message', async (t) => {
  const app = await createApp(t, { service: { get: fail('broken') } })
  t.strictSame((await getJSON(app, '/things/1')).json(), { ...general, message: 'broken' })
})

t.test('Service-side error thrown: an error hook may replace it, or take it back', async (t) => {
  const replace = (context: HookContext) => {
    context.error = new NotFound('Replaced')
  }
  const service = { get: fail(new Error('broken')), find: fail(new Error('broken')) }
  const rescue = (context: HookContext) => {
    context.result = []
  }
  const app = await createApp(t, { service, options: { hooks: { error: { get: [replace], find: [rescue] } } } })
  t.match((await getJSON(app, '/things/1')).json(), { message: 'Replaced', code: 404 })
  t.strictSame((await getJSON(app, '/things')).json(), [])
})

t.test('hook that calls `next()` twice or never: an error that says so', async (t) => {
  const hooks = {
    around: {
      get: [
        async function twice(_context: HookContext, next: () => Promise<void>) {
          await next()
          await next()
        }
      ],
      find: [async function never() {}]
    }
  }
  const app = await createApp(t, { service: { get, find: get }, options: { hooks } })
  t.match((await getJSON(app, '/things/1')).json(), { ...general, message: /next\(\) called multiple times.*twice/ })
  t.match((await getJSON(app, '/things')).json(), { ...general, message: /next\(\) was not called.*never/ })
})

/** Errors that can not be turned into JSON as they are, of a status of 500. */
const circular: Record<string, unknown> = { text: 'hi' }
circular.self = circular
const shaped = (fields: object) => Object.assign(new Error('broken'), general, fields)
const getter = (key: string, error: object) =>
  Object.defineProperty(error, key, {
    enumerable: true,
    get() {
      throw new Error('trap')
    }
  })
const hostile: Record<string, () => unknown> = {
  'an error with circular `data`': () => shaped({ data: circular }),
  'a BigInt in `data`': () => shaped({ data: { big: 1n } }),
  'a toJSON that throws in `errors`': () => shaped({ errors: { toJSON: fail('x') } }),
  'a getter of `data` that throws': () => getter('data', shaped({})),
  'a getter of `message` that throws': () => getter('message', new Error()),
  'a getter of `code` that throws': () => getter('code', new Error('broken')),
  'a getter of `statusCode` that throws': () => getter('statusCode', new Error('broken')),
  'a getter of `stack` that throws': () => getter('stack', new Error('broken')),
  'a getter of some other name that throws': () => getter('other', new Error('broken')),
  'a frozen error': () => Object.freeze(new Error('broken'))
}

for (const [name, create] of Object.entries(hostile)) {
  t.test(`${name}: 500, alive`, async (t) => {
    for (const logger of [false, { level: 'debug', stream: { write() {} } }] as const) {
      const app = await createApp(t, {
        service: {
          get: async () => {
            throw create()
          },
          find: get
        },
        server: { logger }
      })
      const response = await getJSON(app, '/things/1')
      t.equal(response.statusCode, 500)
      t.match(response.json(), general, logger ? 'with a logger' : 'without a logger')
      t.equal((await app.inject('/things')).statusCode, 200)
    }
  })
}

t.test(
  'a service error whose `data` can not be told is answered in the error format, its status in the body',
  async (t) => {
    const errors = [
      new NotFound('Said so', circular),
      new NotFound('Said so', { big: 1n }),
      Object.freeze(new NotFound('Said so')),
      getter('data', new NotFound('Said so')),
      getter('errors', new NotFound('Said so')),
      getter('message', new NotFound()),
      Object.assign(new NotFound('Said so'), { toJSON: fail('x') })
    ]
    for (const [index, error] of errors.entries()) {
      const app = await createApp(t, { service: { get: fail(error) } })
      const response = await getJSON(app, '/things/1')
      t.match(
        response.json(),
        { name: String, message: String, code: response.statusCode, className: String },
        `error ${index}`
      )
      t.ok([404, 500].includes(response.statusCode))
    }
  }
)

t.test('result with a BigInt or a cycle, `toJSON` that throws: 500, no engine internals in the message', async (t) => {
  const results: Record<string, unknown> = {
    big: { big: 1n },
    bare: 1n,
    list: [1n],
    cycle: circular,
    error: { toJSON: fail(new Error('internal detail')) },
    string: { toJSON: fail('internal detail') },
    nothing: { toJSON: fail(null) },
    frozen: { toJSON: fail(Object.freeze(new Error('internal detail'))) }
  }
  const app = await createApp(t, { service: { get: async (id: string) => results[id], find: get } })
  for (const id of Object.keys(results)) {
    const response = await getJSON(app, `/things/${id}`)
    t.equal(response.statusCode, 500, id)
    t.match(response.json(), general, id)
    t.notMatch(
      response.json().message,
      /a BigInt|circular|JSON\.|structure|constructor|property|FST_|payload|internal/i,
      id
    )
    t.equal((await app.inject('/things')).statusCode, 200)
  }
})

const odd: Record<string, unknown> = {
  'an object': { text: 'x' },
  'an object without a prototype': Object.create(null),
  'a list': ['x'],
  undefined: undefined,
  null: null,
  'a number': 42,
  'a BigInt': 1n,
  'a symbol': Symbol('x'),
  'a function': () => 'x',
  'an object whose toString throws': {
    toString() {
      throw new Error('trap')
    }
  }
}
const errors: Record<string, () => Error> = {
  'an error': () => new Error('x'),
  'a service error': () => new BadRequest('x'),
  'an error of another package': () => Object.assign(new Error('x'), { code: 400, className: 'bad-request' }),
  'an error with a status': () => Object.assign(new Error('x'), { statusCode: 400 })
}

for (const [kind, create] of Object.entries(errors))
  t.test(`a message, a name and a class of odd types are answered as strings: ${kind}`, async (t) => {
    let field = 'message'
    let value: unknown
    const hook = (context: HookContext) => {
      context.error = Object.defineProperty(create(), field, { value, configurable: true, writable: true })
    }
    const service = {
      get() {
        throw new Error('x')
      }
    }
    const app = await createApp(t, { service, options: { hooks: { error: { get: [hook] } } } })
    for (field of ['message', 'name', 'className'])
      for (const [name, part] of Object.entries(odd)) {
        value = part
        const json = await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })
        t.match(
          json.json(),
          { name: String, message: String, className: String, code: json.statusCode },
          `${field}: ${name}`
        )
        const html = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
        t.match(html.body, /<h1>[45]00 /, `${field}: ${name}, as a page`)
      }
  })

t.test('a page of the application that changes the error, and fails: the built-in page', async (t) => {
  const html = (error: Error) => {
    Object.assign(error, { message: { odd: true }, code: 'odd' })
    throw new Error('The page failed')
  }
  const service = {
    get() {
      throw new BadRequest('Not like that')
    }
  }
  const app = await createApp(t, { service, plugin: { errorHandler: { html } } })
  const response = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
  t.equal(response.statusCode, 400)
  t.match(response.body, /<p>Not like that<\/p>/)
})

async function answer(t: Test, code: number, accept: string) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { expose: false } })
  app.service('things', {
    get: async () => {
      throw Object.assign(new Error('secret'), { statusCode: code })
    }
  })
  return app.inject({ url: '/things/1', headers: { accept } })
}

t.test(
  'a status that HTTP has no words for keeps its code, and tells nothing more where 5xx are not shown',
  async (t) => {
    const response = await answer(t, 599, 'application/json')
    t.match([response.statusCode, response.json()], [599, { code: 599, message: 'Error', className: 'general-error' }])
  }
)

t.test('its page has the code for a title', async (t) => {
  const response = await answer(t, 499, 'text/html')
  t.equal(response.statusCode, 499)
  t.match(response.body, '<title>499</title>')
})

t.test('an error with a property `serialization` is not one of the serializer', async (t) => {
  const thrown = Object.assign(new Error('of the database'), { serialization: { level: 'strict' } })
  const app = await createApp(t, { service: { get: failLater(thrown) } })
  t.match(JSON.parse((await getJSON(app, '/things/1')).body), { ...general, message: 'of the database' })
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const host = Fastify()
  t.teardown(() => host.close())
  host.setErrorHandler(errorHandler({ html: false }))
  host.get('/cycle', async () => cyclic)
  host.get('/marked', { config: {} }, failLater(thrown))
  t.match((await host.inject('/cycle')).json(), { ...general, message: /^The result is not JSON/ })
  t.match((await host.inject('/marked')).json(), { ...general, message: 'of the database' })
})
