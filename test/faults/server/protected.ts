import { Readable } from 'node:stream'
import { memory } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import { Conflict, type HookContext, type ServiceOptions } from 'fastify-services'
import authentication, { authenticate, protect } from 'fastify-services/authentication'
import { secret } from '../../support/tokens.js'

const user = () => ({ id: 1, name: 'Ada', password: 'owned' })
const cyclic = () => {
  const record: Record<string, unknown> = user()
  record.self = record
  record.friends = [record]
  return record
}
class Model {
  readonly #user = user()
  get password() {
    return this.#user.password
  }
  get name() {
    return this.#user.name
  }
  toJSON() {
    return this.#user
  }
}
const deep = (depth: number): object => (depth === 0 ? user() : { in: [deep(depth - 1)] })
const iterable = (records: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const record of records) controller.enqueue(record)
      controller.close()
    }
  })
const fail = (fields: object) => () => {
  throw Object.assign(new Conflict('taken'), fields)
}

/** Results that hold records, wherever. */
export const held: Record<string, () => unknown> = {
  'a record': user,
  'a list': () => [user(), user()],
  'a page': () => ({ total: 1, data: [user()] }),
  'a further field of a page': () => ({
    total: 1,
    data: [user()],
    owner: user(),
    others: [user()],
    facets: { a: { b: user() } }
  }),
  'a list in a list': () => [[user()], [[user()]]],
  'an object in an object': () => ({ user: user() }),
  'a list in an object': () => ({ users: [user()] }),
  'an object in a list in an object': () => ({ groups: [{ users: [user()] }] }),
  'fifty levels down': () => deep(50),
  'a cycle': cyclic,
  'a list of cycles': () => [cyclic()],
  'a model': () => new Model(),
  'a list of models': () => [new Model()],
  'a model in an object': () => ({ user: new Model() }),
  'an object without a prototype': () =>
    Object.assign(Object.create(null), { user: Object.assign(Object.create(null), user()) }),
  'a getter that throws': () => ({
    user: user(),
    get broken() {
      throw new Error('trap')
    }
  }),
  'a frozen record': () => Object.freeze({ user: Object.freeze(user()) }),
  'an inherited field': () => Object.create(user()),
  'a stream of records': () => Readable.from([user(), { user: user() }, [user()]]),
  'a stream of pages': () => Readable.from([{ data: [user()], owner: user() }]),
  'a stream of models': () => Readable.from([new Model()]),
  'a web stream of records': () => iterable([user(), { users: [user()] }]),
  'the data of an error': fail({ data: { user: user(), users: [[user()]] } }),
  'the data of an error, a record': fail({ data: user() }),
  'the errors of an error': fail({ errors: [{ user: user() }] }),
  'the data of an error, a list': fail({ data: [user()] }),
  'the data of an error of another class': () => {
    throw Object.assign(new Error('taken'), {
      name: 'Conflict',
      code: 409,
      className: 'conflict',
      data: { user: user() }
    })
  }
}

/** Where the hook stands, and where a result comes from. */
export const guards: Record<string, ServiceOptions> = {
  'a result': { hooks: { around: { all: [protect('password')] } } },
  'dispatch of a hook': {
    hooks: {
      around: { all: [protect('password')] },
      after: { all: [(context: HookContext) => void Object.assign(context, { dispatch: context.result, result: {} })] }
    }
  },
  'a result of an after hook': {
    hooks: {
      around: { all: [protect('password')] },
      after: { all: [(context: HookContext) => void Object.assign(context, { result: held[String(context.id)]?.() })] }
    }
  }
}

/** Services whose records have a protected field, and services of authentication with and without revocation. */
export async function registerProtected(app: FastifyInstance): Promise<void> {
  const get = async (id: string) => held[id]?.()
  for (const [name, options] of Object.entries(guards))
    app.service(`protected/${name.replaceAll(' ', '-')}`, { get }, options)
  app.service('users', memory({ startId: 1 }) as object)
  const jwt = { secret, strategies: { jwt: true } }
  await app.register(authentication, jwt)
  await app.register(authentication, { ...jwt, path: 'revoked', revocation: true, refresh: true })
  for (const service of ['authentication', 'revoked']) {
    const guard = authenticate({ service, strategies: ['jwt'] })
    app.service(`guarded/${service}`, { find: async () => ['let in'] }, { hooks: { around: { all: [guard] } } })
  }
  app.addHook('onReady', async () => {
    await app.service('users').create({ email: 'ada@example.com' } as never)
  })
}
