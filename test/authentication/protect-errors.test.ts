import { PassThrough, Readable, Stream } from 'node:stream'
import { Conflict as FeathersConflict } from '@feathersjs/errors'
import Fastify from 'fastify'
import services, { Conflict, type ErrorData, ServiceError } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { broken, createProtected, open, record } from '../support/auth-passwords-protect.js'
import { JsonObject } from '../support/json-object.js'

const told = { user: record(), list: [[record(2)]] }
const cleaned = { user: open(), list: [[open(2)]] }

class Telling extends ServiceError {
  readonly user = record()
  constructor() {
    super('no', 'Telling', 409, { id: 1 })
  }
  override toJSON() {
    return { ...super.toJSON(), user: this.user, pin: '1234' }
  }
}

class Nested extends ServiceError {
  constructor() {
    super('no', 'Conflict', 409)
  }
  override toJSON() {
    return Object.assign(new JsonObject(record()), super.toJSON(), { id: 1 })
  }
}

class TellingFeathers extends FeathersConflict {
  override toJSON() {
    return { ...super.toJSON(), user: record(), pin: '1234' }
  }
}

class Hidden extends Error {
  readonly code = 409
  readonly className = 'hidden'
  get data(): unknown {
    throw new Error('s3cret')
  }
}

const errors: Record<string, [thrown: () => unknown, expected: object]> = {
  data: [() => new Conflict('no', told), { data: cleaned }],
  'data that is a list': [() => new Conflict('no', [told]), { data: [cleaned] }],
  'data that is the record': [() => new Conflict('no', record()), { data: open() }],
  errors: [() => new Conflict('no', { errors: told }), { errors: cleaned }],
  'data and errors': [() => new Conflict('no', { ...told, errors: [told] }), { data: cleaned, errors: [cleaned] }],
  'data that is frozen': [() => Object.freeze(new Conflict('no', told)), { data: cleaned }],
  'data with a toJSON': [() => new Conflict('no', { user: { toJSON: () => record() } }), { data: { user: open() } }],
  'errors with a toJSON': [() => new Conflict('no', { errors: new JsonObject(told) }), { errors: cleaned }],
  'a toJSON of what its toJSON gives': [() => new Nested(), { id: 1 }],
  'data of an error of Feathers': [
    () => new FeathersConflict('no', { ...told, errors: told }),
    { data: cleaned, errors: cleaned }
  ],
  'data of what only looks like an error': [
    () => ({ name: 'Conflict', message: 'no', code: 409, className: 'conflict', data: told }),
    { data: cleaned }
  ],
  'what its toJSON adds': [
    () => new Telling(),
    { name: 'Telling', className: 'telling', data: { id: 1 }, user: open() }
  ],
  'what the toJSON of an error of Feathers adds': [() => new TellingFeathers('no'), { user: open() }],
  'what was found invalid': [
    () => Object.assign(new Error('no'), { statusCode: 409, validation: [told] }),
    { errors: [cleaned] }
  ]
}

for (const [name, [thrown, expected]] of Object.entries(errors))
  t.test(`protect: a field is absent in ${name} of an error that leaves`, async (t) => {
    const error = thrown()
    const before = JSON.stringify(error)
    const { app, send, things } = await createProtected(t, { answer: () => Promise.reject(error) })
    const { status, body } = await send('GET', '/things/1')
    t.strictSame(
      [status, body],
      [409, { name: 'Conflict', message: 'no', code: 409, className: 'conflict', ...expected }]
    )
    const { payload } = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
    t.notMatch(payload, 's3cret')
    t.equal(await things.get(1).catch((error: unknown) => error), error, 'the server gets what was thrown')
    t.equal(JSON.stringify(error), before, 'and it was not changed')
    const external = await things.get(1, { provider: 'rest' }).catch((error: unknown) => error)
    t.equal(external instanceof Error, error instanceof Error, 'it is of the same class')
  })

t.test('protect: an error that has none of the fields stays the error that it is', async (t) => {
  for (const error of [
    new Conflict('no', { id: 1, at: new Date() }),
    new Error('no'),
    'no',
    5,
    { a: 1 },
    Object.freeze(new Conflict('no'))
  ]) {
    const { things } = await createProtected(t, { answer: () => Promise.reject(error) })
    t.equal(await things.get(1, { provider: 'rest' }).catch((error: unknown) => error), error)
  }
})

t.test('protect: the names of the parts of an error are not those of a record', async (t) => {
  const { protect } = await import('fastify-services/authentication')
  const hooks = { around: { all: [protect('code', 'data', 'message')] } } as object
  const { send } = await createProtected(t, {
    hooks,
    answer: () => Promise.reject(new Conflict('no', { code: 'XK', id: 1 }))
  })
  t.strictSame((await send('GET', '/things/1')).body, {
    name: 'Conflict',
    message: 'no',
    code: 409,
    className: 'conflict',
    data: { id: 1 }
  })
})

t.test('protect: the messages of `errors` go by the names of fields, and pass', async (t) => {
  const rows = [
    [
      { secret: 'is missing', pin: { min: 4, secret: 's3cret' } },
      { secret: 'is missing', pin: { min: 4 } }
    ],
    ['is missing', 'is missing']
  ]
  for (const [errors, expected] of rows) {
    const { send } = await createProtected(t, {
      answer: () => Promise.reject(new Conflict('no', { ...told, errors } as ErrorData))
    })
    t.strictSame((await send('GET', '/things/1')).body.errors, expected)
  }
})

t.test('protect: what of an error can not be read is not told', async (t) => {
  const data = broken('user')
  for (const error of [new Hidden('no'), Object.assign(new Conflict('no'), { data })]) {
    const { send } = await createProtected(t, { answer: () => Promise.reject(error) })
    const { status, body } = await send('GET', '/things/1')
    t.match([status, body], [409, { message: 'no', code: 409, data: undefined }])
  }
})

t.test(
  'protect: an error whose class answers for itself tells a field neither, though it did not at first',
  async (t) => {
    let asked = 0
    const proxy = new Proxy(Conflict.prototype, {
      get: (target, key, error) =>
        key !== 'data' ? Reflect.get(target, key, error) : asked++ === 0 ? open() : record()
    })
    const error = Object.setPrototypeOf(Object.assign(new Error('no'), { code: 409, className: 'conflict' }), proxy)
    const { things } = await createProtected(t, { answer: () => Promise.reject(error) })
    const told = await things.get(1, { provider: 'rest' }).catch((error: Conflict) => error)
    for (const _ of [1, 2]) t.strictSame((told as Conflict).data, open())
  }
)

const conflict = () => new Conflict('no', { user: record() })
const fail = () => {
  throw conflict()
}
const node = (objectMode: boolean) => () =>
  new Readable({
    objectMode,
    read() {
      this.destroy(conflict())
    }
  })
const web = (type?: 'bytes') => () =>
  new ReadableStream({
    ...(type && { type }),
    start: (controller: { error(e: unknown): void }) => controller.error(conflict())
  } as object)

function legacy() {
  const stream = Object.assign(new Stream(), { readable: true })
  setImmediate(() => stream.emit('error', conflict()))
  return stream
}

const sources: Record<string, () => unknown> = {
  'an async generator': async function* () {
    yield fail()
  },
  'an async iterable that gives no iterator': () => ({ [Symbol.asyncIterator]: fail }),
  'an iterator that throws': () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
  'a record, and an iterator that can not be closed then': () => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: { toJSON: fail } }), return: fail })
  }),
  'a stream of objects': node(true),
  'a stream of bytes': node(false),
  'a stream that had failed before': () => {
    const stream = node(false)().on('error', () => {})
    return stream.destroy(conflict())
  },
  'a stream of the web': web(),
  'bytes of the web': web('bytes'),
  'a stream of the old kind': legacy,
  'the body of a Response': () => new Response(web()())
}

async function read(answer: unknown) {
  const stream = answer instanceof Response ? answer.body : answer
  for await (const _ of stream as AsyncIterable<unknown>);
}

for (const [name, answer] of Object.entries(sources))
  t.test(`protect: a field is absent in the error of ${name}`, async (t) => {
    const { app, send, things } = await createProtected(t, { answer })
    const { status, body } = await send('GET', '/things/1')
    t.strictSame([status, body], [409, { ...conflict().toJSON(), data: { user: open() } }])
    const { payload } = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
    t.notMatch(payload, 's3cret')
    const stream = await things.get(1, { provider: 'rest' }).catch((error: unknown) => error)
    const error = stream instanceof Error ? stream : await read(stream).catch((error: unknown) => error)
    t.ok(error instanceof Conflict)
    t.strictSame((error as Conflict).data, { user: open() })
    if (stream instanceof Readable) t.equal(stream.errored, error, 'nor is it in what the stream keeps')
  })

t.test('protect: an error of a stream that has none of the fields stays what it is', async (t) => {
  for (const error of [new Conflict('no', { id: 1 }), new Error('no')])
    for (const objectMode of [true, false]) {
      const answer = () => new PassThrough({ objectMode }).destroy(error)
      const { things } = await createProtected(t, { answer })
      const stream = (await things.get(1, { provider: 'rest' })) as Readable
      t.equal(await read(stream).catch((error: unknown) => error), error)
    }
})

t.test('protect: what can not be closed tells the field neither', async (t) => {
  const cancel = new ReadableStream({ cancel: fail })
  const iterable = { [Symbol.asyncIterator]: () => ({ next: fail, return: fail }) }
  const first = (await createProtected(t, { answer: () => cancel })).things
  const second = (await createProtected(t, { answer: () => iterable })).things
  const external = { provider: 'rest' }
  const told = async (closing: unknown) => {
    const error = await Promise.resolve(closing).catch((error: Conflict) => error)
    t.strictSame((error as Conflict).data, { user: open() })
  }
  await told(((await first.get(1, external)) as ReadableStream).cancel())
  const items = (await second.get(1, external)) as AsyncIterableIterator<unknown>
  await told(items.return?.())
})

t.test('protect: a stream of bytes is closed with its answer', async (t) => {
  const source = new PassThrough()
  const { things } = await createProtected(t, { answer: () => source })
  const stream = (await things.get(1, { provider: 'rest' })) as Readable
  const closed = new Promise((resolve) => source.once('close', resolve))
  stream.destroy()
  await closed
  t.equal(source.destroyed, true)
})

t.test('protect: what every error has stays, also where a field has its name', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const things = {
    async get() {
      throw new Conflict('no', { name: 'Ada', message: 'hi', code: 'x', className: 'y', id: 1 })
    }
  }
  const fields = ['name', 'message', 'code', 'className', 'data', 'errors']
  app.service('things', things).hooks({ around: { all: [protect(...fields)] } })
  t.strictSame((await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })).json(), {
    name: 'Conflict',
    message: 'no',
    code: 409,
    className: 'conflict',
    data: { id: 1 }
  })
})
