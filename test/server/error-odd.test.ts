import { BadRequest, type HookContext } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/response-app.js'

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
      for (const [name, one] of Object.entries(odd)) {
        value = one
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
