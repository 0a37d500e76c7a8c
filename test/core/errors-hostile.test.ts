import { EventEmitter } from 'node:events'
import errors from '@feathersjs/errors'
import { NotFound } from 'fastify-services'
import t from 'tap'
import { createApp, settled } from '../support/core.js'

const fail = () => {
  throw new Error('a secret of the getter')
}
const failing = (target: object, ...keys: string[]) =>
  Object.defineProperties(target, Object.fromEntries(keys.map((key) => [key, { get: fail }])))
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const fields = [
  'message',
  'name',
  'code',
  'className',
  'statusCode',
  'status',
  'validation',
  'data',
  'errors',
  'stack',
  'cause'
]
const general = { name: 'GeneralError', message: 'Error', code: 500, className: 'general-error' }
const notFound = { name: 'GeneralError', message: 'Error', code: 404, className: 'not-found' }

const rows: [name: string, create: () => unknown, json: { code: number }][] = [
  ['every getter throws', () => failing({}, ...fields), general],
  ['a getter that throws, `message`', () => failing(new Error(), 'message'), general],
  ['a getter that throws, `stack`', () => failing(new Error('oops'), 'stack'), { ...general, message: 'oops' }],
  [
    'a service error of another package, its other getters throw',
    () => failing({ code: 404, className: 'not-found' }, 'message', 'name', 'data', 'errors'),
    notFound
  ],
  ['a proxy that gives nothing', () => new Proxy({}, { get: fail, has: fail }), general],
  ['a proxy that was revoked', revoked, general],
  [
    'a proxy without a prototype to read',
    () => new Proxy(new Error('oops'), { getPrototypeOf: fail }),
    { ...general, message: 'oops' }
  ],
  [
    'a service error behind a proxy without a prototype to read',
    () => new Proxy({ ...notFound, message: 'no' }, { getPrototypeOf: fail }),
    { ...notFound, message: 'no' }
  ],
  [
    'a service error whose class name is no text',
    () => Object.assign(new NotFound('no'), { className: { a: 1 } }),
    { name: 'NotFound', message: 'no', code: 404, className: 'not-found' }
  ],
  ['a cause that was revoked', () => new Error('oops', { cause: revoked() }), { ...general, message: 'oops' }],
  ['a frozen error', () => Object.freeze(new Error('oops')), { ...general, message: 'oops' }],
  [
    'a frozen error with a status',
    () => Object.freeze(Object.assign(new Error('oops'), { statusCode: 404 })),
    { ...notFound, name: 'NotFound', message: 'oops' }
  ],
  [
    'a frozen error of another package',
    () => Object.freeze(new errors.NotFound('gone')),
    { ...notFound, name: 'NotFound', message: 'gone' }
  ],
  [
    'a frozen service error',
    () => Object.freeze(new NotFound('gone')),
    { ...notFound, name: 'NotFound', message: 'gone' }
  ]
]

for (const [name, create, json] of rows) {
  t.test(`error with a getter that throws, a frozen error: ${name}, over HTTP in the error shape`, async (t) => {
    const { app, logged } = await createApp(t)
    app.service('things', {
      async find() {
        throw create()
      }
    })
    const response = await app.inject({ url: '/things', headers: { accept: 'application/json' } })
    t.same(response.json(), json)
    t.equal(response.statusCode, json.code)
    t.equal(logged.length, response.statusCode === 500 ? 1 : 0, 'it is logged')
  })

  t.test(`A listener that throws ${name}: the response is unaffected, alive`, async (t) => {
    const { app, logged } = await createApp(t)
    const emitter = new EventEmitter()
    const object = Object.assign(emitter, {
      async create(data: object) {
        emitter.emit('noted', data)
        return data
      }
    })
    const listener = () => {
      throw create()
    }
    app.service('things', object).on('created', listener).on('noted', listener)
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: {} })).statusCode, 201)
    await settled()
    t.match([logged.length, ...logged], [2, { path: 'things' }, { path: 'things' }], 'it is logged')
  })
}
