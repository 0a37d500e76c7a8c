import errors, { type FeathersError } from '@feathersjs/errors'
import Fastify, { errorCodes } from 'fastify'
import { BadRequest, GeneralError, NotFound, ServiceError, Unprocessable } from 'fastify-services'
import t from 'tap'
import { isServiceError, toServiceError } from '../../lib/core/errors.js'

const plain = (properties: object, message = 'oops') => Object.assign(new Error(message), properties)
const general = { name: 'GeneralError', code: 500, className: 'general-error', statusCode: 500 }

t.test('a service error by its own fields', async (t) => {
  const error = new NotFound('No such message', { id: 1 })
  t.equal(toServiceError(error), error, 'it stays what it is')
  class Teapot extends ServiceError {
    constructor() {
      super('short and stout', 'Teapot', 418)
    }
  }
  const teapot = new Teapot()
  t.equal(toServiceError(teapot), teapot)
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
      const error = toServiceError(original)
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
      toServiceError(shape).toJSON(),
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
    const error = toServiceError(original)
    t.same(error.toJSON(), { name, message: original.message, code, className }, `${original.name} ${code}`)
    t.equal(error.cause, original)
  }
})

t.test('validation errors become BadRequest with `errors`', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  let thrown: unknown
  app.setErrorHandler((error) => {
    thrown = error
    return {}
  })
  app.get('/', { schema: { querystring: { type: 'object', required: ['text'] } } }, () => {})
  await app.inject('/')
  const error = toServiceError(thrown)
  t.ok(error instanceof BadRequest)
  t.match(error.toJSON(), {
    code: 400,
    message: /text/,
    errors: [{ keyword: 'required', params: { missingProperty: 'text' } }]
  })
  t.ok(
    toServiceError(plain({ statusCode: 422, validation: [{}] })) instanceof Unprocessable,
    'a status of its own is kept'
  )
})

for (const code of [11000, 'ENOENT', 200, 404, '404', 4.5e2, Number.NaN, null, {}]) {
  t.test(`\`error.code\` of a driver (${String(code)}) is no status`, async (t) => {
    const original = plain({ code })
    t.ok(toServiceError(original) instanceof GeneralError)
    t.match(toServiceError(original), { ...general, message: 'oops', cause: original })
  })
}

for (const status of [200, 99, 399, 600, 1000, 404.5, '404', null, true]) {
  t.test(`\`error.statusCode\` ${String(status)} is none of an error`, async (t) => {
    t.match(toServiceError(plain({ statusCode: status })), general)
    t.match(toServiceError(plain({ status })), general)
    t.notOk(isServiceError({ code: status, className: 'x' }))
    t.match(toServiceError({ code: status, className: 'x' }), general)
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
  ['a message that is no string', { message: { a: 1 } }, 'Error']
] as const) {
  t.test(`throw of ${name} is GeneralError`, async (t) => {
    const error = toServiceError(value)
    t.ok(error instanceof GeneralError)
    t.same(error.toJSON(), { name: 'GeneralError', message, code: 500, className: 'general-error' })
    t.equal(error.cause, value)
    t.notOk(isServiceError(value))
  })
}
