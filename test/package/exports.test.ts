import t from 'tap'
import * as source from '../../index.js'

const names = [
  'BadGateway',
  'BadRequest',
  'Conflict',
  'Forbidden',
  'GeneralError',
  'Gone',
  'LengthRequired',
  'MethodNotAllowed',
  'NotAcceptable',
  'NotAuthenticated',
  'NotFound',
  'NotImplemented',
  'PayloadTooLarge',
  'PaymentError',
  'ServiceError',
  'Timeout',
  'TooManyRequests',
  'Unavailable',
  'Unprocessable',
  'UnsupportedMediaType',
  'UriTooLong',
  'commonOperators',
  'default',
  'errorHandler',
  'frameworkErrors',
  'notFound'
]

t.test('the door exports these names and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services')).sort(), names)
})

t.test('the name of the package and the built files are one module', async (t) => {
  t.equal(await import('fastify-services'), source)
})

t.test('what is no door can not be imported', async (t) => {
  const inner: string = 'fastify-services/dist/lib/core/service.js'
  await t.rejects(import(inner), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' })
})
