import * as door from 'fastify-services'
import { BadRequest, Conflict, type ErrorData, NotFound, ServiceError } from 'fastify-services'
import t from 'tap'

type Class = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

// wire contract: "Errors"
const table = `
| BadRequest | 400 | bad-request |
| NotAuthenticated | 401 | not-authenticated |
| PaymentError | 402 | payment-error |
| Forbidden | 403 | forbidden |
| NotFound | 404 | not-found |
| MethodNotAllowed | 405 | method-not-allowed |
| NotAcceptable | 406 | not-acceptable |
| Timeout | 408 | timeout |
| Conflict | 409 | conflict |
| Gone | 410 | gone |
| LengthRequired | 411 | length-required |
| Unprocessable | 422 | unprocessable |
| TooManyRequests | 429 | too-many-requests |
| GeneralError | 500 | general-error |
| NotImplemented | 501 | not-implemented |
| BadGateway | 502 | bad-gateway |
| Unavailable | 503 | unavailable |
| PayloadTooLarge | 413 | payload-too-large |
| UriTooLong | 414 | uri-too-long |
| UnsupportedMediaType | 415 | unsupported-media-type |`
const rows = [...table.matchAll(/\| (\w+) \| (\d+) \| ([\w-]+) \|/g)].map(
  ([, name, code, className]) => [name, Number(code), className] as const
)

for (const [name, code, className] of rows) {
  t.test(`| ${name} | ${code} | ${className} |`, async (t) => {
    const Class = (door as unknown as Record<string, Class>)[name as string] as Class
    const error = new Class('What went wrong')
    t.match(error, { name, code, className, statusCode: code, message: 'What went wrong' })
    t.same(error.toJSON(), { name, message: 'What went wrong', code, className })
    t.same(
      JSON.parse(JSON.stringify(error)),
      { name, message: 'What went wrong', code, className },
      'no stack, no statusCode'
    )
    t.ok(error instanceof ServiceError && error instanceof Error && error instanceof Class)
    t.match(error.stack, `${Class.name}`)
    t.equal(new Class().message, name, 'the message is the name where none is given')
    t.equal(new Class('').message, '', 'an empty message stays')
  })
}

t.test('the table has every class of the door', async (t) => {
  const classes = Object.entries(door).filter(
    ([, value]) => typeof value === 'function' && value.prototype instanceof ServiceError
  )
  t.same(classes.map(([name]) => name).sort(), rows.map(([name]) => name).sort())
})

t.test('{ "name", "message", "code", "className", "data"?, "errors"? }', async (t) => {
  const errors = { text: 'is missing' }
  const both = new BadRequest('Invalid', { field: 'text', errors })
  t.same(both.toJSON(), {
    name: 'BadRequest',
    message: 'Invalid',
    code: 400,
    className: 'bad-request',
    data: { field: 'text' },
    errors
  })
  t.same(Object.keys(new BadRequest('Invalid', { field: 'text' }).toJSON()), [
    'name',
    'message',
    'code',
    'className',
    'data'
  ])
  t.same(Object.keys(new BadRequest('Invalid', { errors }).toJSON()), [
    'name',
    'message',
    'code',
    'className',
    'errors'
  ])
  t.same(new NotFound('None', ['a', 'b']).toJSON().data, ['a', 'b'], 'a list is data')
  t.notOk('data' in new NotFound('None', {}).toJSON(), 'what is empty is left out')
})

t.test('the data that is handed in is not changed', async (t) => {
  const data = Object.freeze({ field: 'text', errors: Object.freeze(['is missing']) })
  const error = new Conflict('Taken', data)
  t.same([error.data, error.errors], [{ field: 'text' }, ['is missing']])
  t.same(data, { field: 'text', errors: ['is missing'] })
})

t.test('cause is kept', async (t) => {
  const cause = new Error('connection lost')
  t.equal(new NotFound('None', undefined, { cause }).cause, cause)
  const wrapped = new NotFound(cause)
  t.equal(wrapped.cause, cause, 'an error in the place of the message is the cause')
  t.equal(wrapped.message, 'connection lost')
  t.notOk('cause' in new NotFound('None'))
  t.notOk('cause' in wrapped.toJSON(), 'it does not leave the server')
})

t.test("an error class of one's own", async (t) => {
  class QuotaExceeded extends ServiceError {
    constructor(limit: number) {
      super('Too much', 'QuotaExceeded', 429, { limit })
    }
  }
  const json = {
    name: 'QuotaExceeded',
    message: 'Too much',
    code: 429,
    className: 'quota-exceeded',
    data: { limit: 5 }
  }
  t.same(new QuotaExceeded(5).toJSON(), json)
  class NoSuchMessage extends NotFound {}
  t.match(new NoSuchMessage('None').toJSON(), { name: 'NotFound', code: 404 })
})
