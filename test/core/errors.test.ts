import errors, { type FeathersError } from '@feathersjs/errors'
import { errorCodes } from 'fastify'
import * as door from 'fastify-services'
import {
  BadRequest,
  Conflict,
  type ErrorData,
  GeneralError,
  NotFound,
  ServiceError,
  Unprocessable
} from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/core.js'

const seen: object[] = []
const html = (error: object) => `${seen.push(error)}`
const { app } = await createApp(t, { errorHandler: { expose: true, logger: false, html } })
let thrown: unknown
app.service('failing', {
  async find() {
    throw thrown
  }
})
const querystring = { type: 'object', required: ['text'] }
app.service('checked', { find: async () => [] }, { schema: { find: { querystring } } })

/** What becomes of something that a service throws, as the page for errors gets it. */
async function answered(value: unknown, url = '/failing'): Promise<ServiceError> {
  thrown = value
  await app.inject({ url, headers: { accept: 'text/html' } })
  return seen.pop() as ServiceError
}

type Class = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

// docs/errors.md#the-body
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
    t.equal(error.type, 'FeathersError', 'code that was written for Feathers knows it by its type, which is not sent')
    t.notOk(Object.keys(error).includes('type'))
    t.equal(Object.assign(new Class(), { type: 'of its own' }).type, 'of its own')
    t.match(error.stack, `${Class.name}`)
    t.equal(new Class().message, name, 'the message is the name where none is given')
    t.equal(new Class('').message, '', 'an empty message stays')
    t.match(await answered({ statusCode: code }), { name, className }, 'a status alone becomes it')
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

const plain = (properties: object, message = 'oops') => Object.assign(new Error(message), properties)
const general = { name: 'GeneralError', code: 500, className: 'general-error', statusCode: 500 }

t.test('a service error by its own fields', async (t) => {
  const error = new NotFound('No such message', { id: 1 })
  t.equal(await answered(error), error, 'it stays what it is')
  class Teapot extends ServiceError {
    constructor() {
      super('short and stout', 'Teapot', 418)
    }
  }
  const teapot = new Teapot()
  t.equal(await answered(teapot), teapot)
})

t.test(
  'an error of another Feathers package by its fields too (`code`, `className`: by shape, not `instanceof`)',
  async (t) => {
    const { FeathersError: _, ...classes } = errors.errors as unknown as Record<
      string,
      new (
        message: string,
        data: object
      ) => FeathersError
    >
    for (const [name, Class] of Object.entries(classes)) {
      const original = new Class('from elsewhere', { id: 1, errors: { text: 'is missing' } })
      const error = await answered(original)
      t.ok(error instanceof ServiceError, name)
      t.same(error.toJSON(), original.toJSON(), name)
      t.match(error.toJSON(), {
        code: original.code,
        className: original.className,
        data: { id: 1 },
        errors: { text: 'is missing' }
      })
      t.equal(error.statusCode, original.code)
      t.equal(error.cause, original)
    }
    const shape = { code: 409, className: 'conflict', message: 'taken' }
    t.match(
      (await answered(shape)).toJSON(),
      { name: 'GeneralError', message: 'taken', code: 409, className: 'conflict' },
      'no class is needed'
    )
  }
)

t.test('a Fastify or http-errors error by its `statusCode`', async (t) => {
  const cases: [Error, string, number, string][] = [
    // As http-errors makes them: both names, and whether the message may be shown.
    [plain({ statusCode: 403, status: 403, expose: true }), 'Forbidden', 403, 'forbidden'],
    [plain({ statusCode: 418, status: 418, expose: true }), 'BadRequest', 418, 'bad-request'],
    [plain({ statusCode: 507, status: 507, expose: false }), 'GeneralError', 507, 'general-error'],
    [new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('a/b'), 'UnsupportedMediaType', 415, 'unsupported-media-type'],
    [new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), 'PayloadTooLarge', 413, 'payload-too-large'],
    [plain({ statusCode: 404 }), 'NotFound', 404, 'not-found'],
    [plain({ status: 429 }), 'GeneralError', 500, 'general-error'],
    [plain({ statusCode: 200, status: 409 }), 'GeneralError', 500, 'general-error']
  ]
  for (const [original, name, code, className] of cases) {
    const error = await answered(original)
    t.same(error.toJSON(), { name, message: original.message, code, className }, `${original.name} ${code}`)
    t.equal(error.cause, original)
  }
})

t.test('validation errors become BadRequest with `errors`', async (t) => {
  const error = await answered(undefined, '/checked')
  t.ok(error instanceof BadRequest)
  t.match(error.toJSON(), {
    code: 400,
    message: /text/,
    errors: [{ keyword: 'required', params: { missingProperty: 'text' } }]
  })
  t.ok(
    (await answered(plain({ statusCode: 422, validation: [{}] }))) instanceof Unprocessable,
    'a status of its own is kept'
  )
})

t.test(
  'an error of Feathers with a `toJSON` of its own is sent as that says, and an empty message stays',
  async (t) => {
    class Translated extends errors.BadRequest {
      override toJSON() {
        const { data: _, ...json } = super.toJSON()
        return { ...json, key: 'errors.no' }
      }
    }
    const json = { name: 'BadRequest', code: 400, className: 'bad-request' }
    const original = new Translated('No', { secret: 1 })
    t.same((await answered(original)).toJSON(), { ...json, message: 'No', key: 'errors.no' })
    t.equal((await answered(original)).cause, original)
    t.same((await answered(new errors.BadRequest(''))).toJSON(), { ...json, message: '' })
    const broken = Object.assign(new errors.BadRequest('No'), { toJSON: () => ({ message: 5 }) })
    t.same((await answered(broken)).toJSON(), { ...json, message: 'No' }, 'unless that is no error')
  }
)

for (const code of [11000, 'ENOENT', 200, 404, '404', 4.5e2, Number.NaN, null, {}]) {
  t.test(`\`error.code\` of a driver (${String(code)}) is no status`, async (t) => {
    const original = plain({ code })
    t.ok((await answered(original)) instanceof GeneralError)
    t.match(await answered(original), { ...general, message: 'oops', cause: original })
  })
}

for (const status of [200, 99, 399, 600, 1000, 404.5, '404', null, true]) {
  t.test(`\`error.statusCode\` ${String(status)} is none of an error`, async (t) => {
    t.match(await answered(plain({ statusCode: status })), general)
    t.match(await answered(plain({ status })), general)
    t.match(await answered({ code: status, className: 'x' }), general)
  })
}

for (const [name, value, message] of [
  ['a string', 'it broke', 'it broke'],
  ['an empty string', '', 'Error'],
  ['a number', 42, 'Error'],
  ['`{}`', {}, 'Error'],
  ['`null`', null, 'Error'],
  ['`undefined`', undefined, 'Error'],
  ['a symbol', Symbol('s'), 'Error'],
  ['an array', ['a'], 'Error'],
  ['`{ message }`', { message: 'in words' }, 'in words'],
  ['a message that is no string', { message: { a: 1 } }, 'Error'],
  ['a name alone', { name: 'ConnectionLost' }, 'ConnectionLost'],
  ['an error without a message', Object.assign(new Error(''), { name: 'ConnectionLost' }), 'ConnectionLost']
] as const) {
  t.test(`throw of ${name} is GeneralError`, async (t) => {
    const error = await answered(value)
    t.ok(error instanceof GeneralError)
    t.same(error.toJSON(), { name: 'GeneralError', message, code: 500, className: 'general-error' })
    t.equal(error.cause, value)
  })
}
