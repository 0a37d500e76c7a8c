import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyReply } from 'fastify'
import * as all from 'fastify-services'
import { BadRequest, Conflict, type ErrorHandlerOptions, errorHandler, ServiceError } from 'fastify-services'
import t, { type Test } from 'tap'
import { builtInPage } from '../../lib/server/errors/error-handler.js'
import { isKept } from '../support/kept.js'

const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)
const cycle: Record<string, unknown> = {}
cycle.self = cycle
const classes = Object.entries(all).filter(([, value]) => (value as () => unknown).prototype instanceof ServiceError)
const failing = () => {
  throw new Error('It can not be read')
}

/** What may be thrown. */
const thrown: Record<string, () => unknown> = {
  ...Object.fromEntries(
    classes.flatMap(([name, Class]) => [
      [name, () => new (Class as typeof BadRequest)()],
      [`${name} of text`, () => new (Class as typeof BadRequest)('The text', { a: 1, errors: { b: 'is odd' } })]
    ])
  ),
  text: () => 'text',
  'an empty text': () => '',
  null: () => null,
  undefined: () => undefined,
  number: () => 7,
  'an object': () => ({ a: 1 }),
  'an object with a message': () => ({ message: 'Its message', name: 'Odd' }),
  'an object with a name': () => ({ name: 'Odd' }),
  error: () => error('broken'),
  'an error without a message': () => error(''),
  'an error of a type': () => new TypeError('of a type'),
  'statusCode 400': () => error('four', { statusCode: 400 }),
  'statusCode 418': () => error('teapot', { statusCode: 418 }),
  'statusCode 499': () => error('closed', { statusCode: 499 }),
  'statusCode 505': () => error('version', { statusCode: 505 }),
  'statusCode 599': () => error('last', { statusCode: 599 }),
  'statusCode 600': () => error('too high', { statusCode: 600 }),
  'statusCode 399': () => error('too low', { statusCode: 399 }),
  'statusCode 400.5': () => error('half', { statusCode: 400.5 }),
  "statusCode '400'": () => error('as text', { statusCode: '400' }),
  'status 404': () => error('status', { status: 404 }),
  'code 404': () => error('code', { code: 404 }),
  'code ENOENT': () => error('no file', { code: 'ENOENT' }),
  'code and className': () =>
    error('of Feathers', { code: 409, className: 'conflict', name: 'Conflict', data: { a: 1 } }),
  'code and className of an object': () => ({ code: 402, className: 'payment-error', message: 'Pay', errors: [1] }),
  'code and className, no name': () => ({ code: 450, className: 'odd', name: 5 }),
  'a code that is no status': () => error('of Feathers', { code: 200, className: 'ok' }),
  'a class of its own': () => new ServiceError('Own', 'OwnClassName', 451, { why: 'law' }),
  validation: () => error('body/a must be integer', { statusCode: 400, validation: [{ message: 'must be integer' }] }),
  serialization: () => error('V8 says', { serialization: {} }),
  'a list as data': () => new BadRequest('A list', [1, 2]),
  'data that is no JSON': () => new BadRequest('No JSON', { cycle }),
  'toJSON of its own': () => Object.assign(new BadRequest('Own'), { toJSON: () => ({ own: true }) }),
  'toJSON fails': () => Object.assign(new BadRequest('Own'), { toJSON: failing }),
  'toJSON gives nothing': () => Object.assign(new BadRequest('Own'), { toJSON: () => undefined }),
  'a message that is no text': () => Object.assign(new BadRequest('Own'), { message: { a: 1 } }),
  'getters that fail': () => Object.defineProperty(error('a'), 'code', { get: failing }),
  'a message that fails': () => Object.defineProperty(error('a'), 'message', { get: failing }),
  markup: () => new BadRequest(`<b title="a">'&'</b>`),
  'retryAfter 5': () => new all.Unavailable('Later', { retryAfter: 5 }),
  'retryAfter 0': () => new all.Unavailable('Later', { retryAfter: 0 }),
  'retryAfter -1': () => new all.Unavailable('Later', { retryAfter: -1 }),
  'retryAfter -0.5': () => new all.Unavailable('Later', { retryAfter: -0.5 }),
  'retryAfter 1.2': () => new all.TooManyRequests('Later', { retryAfter: 1.2 }),
  "retryAfter '5'": () => new all.Unavailable('Later', { retryAfter: '5' }),
  'retryAfter ∞': () => new all.Unavailable('Later', { retryAfter: Number.POSITIVE_INFINITY }),
  'requestId of its own': () => new Conflict('Own', { requestId: 'mine', a: 1 })
}

const folder = mkdtempSync(join(tmpdir(), 'pages-'))
const file = (name: string) => {
  writeFileSync(join(folder, name), `page ${name}`)
  return join(folder, name)
}
t.teardown(() => rmSync(folder, { recursive: true }))
const own = (error: { code: number; message: string }) => `own ${error.code} ${error.message}`

const options: Record<string, ErrorHandlerOptions> = {
  page: {},
  json: { html: false },
  hidden: { html: false, expose: false },
  shown: { html: false, expose: true },
  ids: { html: false, requestId: true },
  'no ids': { html: false, requestId: false },
  silent: { html: false, logger: false },
  own: { html: own },
  files: { html: { 404: file('404'), 500: async (error) => own(error), default: file('default') } },
  'no default': { html: { 404: own } },
  'a page that sends': { html: (error, _request, reply) => void reply.header('x-page', '1').send(own(error)) },
  'a page that sends later': { html: async (error, _request, reply) => void (await reply.send(own(error))) },
  'a page that fails': { html: failing },
  'a page that changes the error': {
    html: (error) => failing.call(Object.assign(error, { code: 999, message: 'changed' }))
  },
  'a page that sends and fails': { html: (_error, _request, reply) => failing.call(reply.send('sent')) }
}
const few =
  /^(NotFound of text|NotAuthenticated|GeneralError|error|text|statusCode 505|code and className|markup|data that is no JSON|a list as data|requestId of its own)$/

const types: Record<string, string> = { 'application/json; charset=utf-8': 'JSON', 'text/html; charset=utf-8': 'HTML' }
const page = /^<!DOCTYPE html>[\s\S]*<title>(.*)<\/title>[\s\S]*<h1>(.*)<\/h1>\n<p>(.*)<\/p>[\s\S]*$/

/** A body in short: JSON as it is read, and of the built-in page what it says. */
const shorten = (body: string) => (body.startsWith('{') ? JSON.parse(body) : body.replace(page, '$1 | $2 | $3'))

async function create(t: Test) {
  const lines: string[] = []
  const app = Fastify({ logger: { stream: { write: (line) => void lines.push(line) } }, genReqId: () => 'req-1' })
  t.teardown(() => app.close())
  const ask = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await app.inject({ url, headers })
    const { date: _, connection: __, 'content-length': ___, 'content-type': type, ...others } = answer.headers
    const logged = lines
      .splice(0)
      .map((line) => JSON.parse(line) as { level: number; msg: string; err?: { message: string } })
    const log = logged.map(
      ({ level, msg, err }) => `${level} ${msg}${err === undefined || err.message === msg ? '' : `: ${err.message}`}`
    )
    const more = log.filter((line) => !/^30 (incoming|request comp)/.test(line))
    const rest = Object.entries(others).map(([name, value]) => `${name}: ${value}`)
    return [answer.statusCode, types[`${type}`] ?? type, shorten(answer.body), ...rest, ...more]
  }
  return { app, ask }
}

const accepts = [
  undefined,
  ...[
    '',
    'application/json',
    'text/html',
    '*/*',
    'application/*',
    'text/html, application/json;q=0.1',
    'application/json;q=0'
  ],
  ...[
    'application/vnd.api+json',
    'APPLICATION/JSON',
    'application/jsonp',
    'text/json',
    'application/json-seq',
    'image/png'
  ],
  ...[
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'application/x-ndjson',
    ' application/json ',
    'json',
    'application/ld+json; a=b'
  ]
]

t.test('what becomes of whatever is thrown, by each option', async (t) => {
  const { app, ask } = await create(t)
  for (const [name, one] of Object.entries(options))
    await app.register(async (child) => {
      child.setErrorHandler(errorHandler(one))
      child.get(`/${name.replaceAll(' ', '-')}/:thrown`, async (request, reply: FastifyReply) => {
        reply.headers({ 'content-encoding': 'gzip', etag: '"a"' }).type('text/csv')
        throw thrown[(request.params as { thrown: string }).thrown]?.()
      })
    })
  const rows: Record<string, unknown> = { page: (await app.inject('/page/error')).body }
  for (const name of Object.keys(options))
    for (const value of Object.keys(thrown)) {
      if (name !== 'json' && !few.test(value)) continue
      rows[`${name}: ${value}`] = await ask(`/${name.replaceAll(' ', '-')}/${encodeURIComponent(value)}`)
    }
  for (const accept of accepts)
    for (const type of accept === undefined ? [undefined, ...accepts.slice(1)] : [undefined]) {
      const headers = { ...(accept !== undefined && { accept }), ...(type !== undefined && { 'content-type': type }) }
      rows[JSON.stringify(headers)] = (await ask('/page/error', headers))[1]
    }
  isKept(t, rows, 'test/server/whole-errors.txt')
})

t.test('what becomes of them with NODE_ENV', async (t) => {
  const { app, ask } = await create(t)
  app.setErrorHandler(errorHandler({ html: false, requestId: true }))
  app.get('/:thrown', async (request) => {
    throw thrown[(request.params as { thrown: string }).thrown]?.()
  })
  const before = process.env.NODE_ENV
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  })
  const rows: Record<string, unknown> = {}
  const most = [
    'error',
    'text',
    'GeneralError of text',
    'statusCode 400',
    'statusCode 505',
    'statusCode 599',
    'validation'
  ]
  for (const [env, names] of [
    ['production', [...most, 'NotFound of text', 'serialization', 'a message that fails']],
    ['Production', ['error', 'text']],
    ['', ['error']]
  ] as const)
    for (const name of names) {
      process.env.NODE_ENV = env
      rows[`${env}: ${name}`] = await ask(`/${encodeURIComponent(name)}`)
    }
  isKept(t, rows, 'test/server/whole-exposed.txt')
})

t.test('what the built-in page says', async (t) => {
  const codes = [400, 418, 431, 499, 505, 511, 599]
  const texts = ['', 'text', '&&', '<<', '>>', '""', "''", '&amp;', '<a href="b">\'c\' & d</a>', 'ü\n$&']
  const rows = [
    ...codes.map((code) => ({ code, message: 'text' })),
    ...texts.map((message) => ({ code: 500, message }))
  ]
  isKept(
    t,
    rows.map((one) => [one, shorten(builtInPage(one))]),
    'test/server/whole-pages.txt'
  )
})
