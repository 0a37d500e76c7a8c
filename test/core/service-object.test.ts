import { inspect } from 'node:util'
import t from 'tap'
import { createApp } from '../support/core.js'

const secret = Symbol('secret')

class Base {
  inherited() {
    return `inherited of ${this.constructor.name}`
  }

  overridden() {
    return 'base'
  }
}

class Counter extends Base {
  #count = 0
  step = 1
  readonly [secret] = 'own symbol'

  async get(id: string) {
    this.#count += this.step
    return { id, count: this.#count, self: this }
  }

  get count() {
    return this.#count
  }

  set count(value: number) {
    this.#count = value
  }

  reset(to: number) {
    this.#count = to
    return this
  }

  override overridden() {
    return `counter over ${super.overridden()}`
  }

  [Symbol.iterator]() {
    return [this.#count][Symbol.iterator]()
  }
}

t.test("a service with private fields: methods are called on the user's own object", async (t) => {
  const { app } = await createApp(t)
  const object = new Counter()
  const service = app.service('things', object)
  t.match(await service.get('1'), { id: '1', count: 1 })
  t.equal((await service.get('1')).self, object)
  t.equal(app.service('things'), service, 'the same service every time')
  t.not(service, object)
})

t.test('members of its classes: methods, getters and setters, symbols, what is inherited', async (t) => {
  const { app } = await createApp(t)
  const object = new Counter()
  const service = app.service('things', object)
  service.count = 5
  t.equal(service.count, 5)
  t.equal(object.count, 5)
  t.equal(service.reset(7), object)
  t.same([...service], [7])
  t.equal(service.inherited(), 'inherited of Counter')
  t.equal(service.overridden(), 'counter over base')
  t.equal(service.constructor, Object, 'the class itself is not a member')
})

t.test('own properties are read from and written to the object', async (t) => {
  const { app } = await createApp(t)
  const object = new Counter()
  const service = app.service('things', object)
  service.step = 10
  t.equal(object.step, 10)
  object.step = 20
  t.equal(service.step, 20)
  t.equal(service[secret], 'own symbol')
  t.match(await service.get('1'), { count: 20 })
})

t.test('an object literal, with a getter and a helper that calls its own methods', async (t) => {
  const { app } = await createApp(t)
  const object = {
    records: ['a'],
    get first() {
      return this.records[0]
    },
    async find() {
      return this.records
    },
    count() {
      return this.records.length
    }
  }
  const service = app.service('things', object)
  t.same(await service.find(), ['a'])
  t.equal(service.first, 'a')
  t.equal(service.count(), 1)
})

t.test('an object without a prototype, an object that is a proxy', async (t) => {
  const { app } = await createApp(t)
  const bare = app.service(
    'bare',
    Object.assign(Object.create(null), { find: async () => ['bare'] }) as { find(): Promise<string[]> }
  )
  t.same(await bare.find(), ['bare'])
  const proxy = new Proxy(
    { find: async () => ['direct'] },
    { get: (target, key) => (key === 'find' ? async () => ['through the proxy'] : Reflect.get(target, key)) }
  )
  t.same(await app.service('proxy', proxy).find(), ['through the proxy'])
})

t.test('sync methods give a promise, one that throws rejects', async (t) => {
  const { app } = await createApp(t)
  const service = app.service('things', {
    find: () => ['a'],
    get(id: string) {
      if (id === 'broken') throw new Error('broken')
      return id
    }
  })
  const found = service.find()
  t.ok(found instanceof Promise)
  t.same(await found, ['a'])
  const broken = service.get('broken')
  t.ok(broken instanceof Promise)
  await t.rejects(broken, { message: 'broken' })
})

t.test("The user's object is not changed", async (t) => {
  const { app } = await createApp(t)
  const object = Object.freeze({
    nested: Object.freeze({}),
    find: async () => [],
    create: async (data: object) => data
  })
  const instance = new Counter()
  const before = [inspect(object, { showHidden: true }), inspect(instance, { showHidden: true })]
  const frozen = app.service('frozen', object, { hooks: { before: { all: [() => {}] } } })
  frozen.on('created', () => {}).hooks({ after: { find: [() => {}] } })
  app
    .service('counter', instance)
    .on('created', () => {})
    .hooks({ after: { get: [() => {}] } })
  await frozen.find()
  await frozen.create({})
  t.same([inspect(object, { showHidden: true }), inspect(instance, { showHidden: true })], before)
  t.same(Reflect.ownKeys(Counter.prototype), ['constructor', 'get', 'count', 'reset', 'overridden', Symbol.iterator])
})

t.test('one object may stand at two paths, each with its own hooks and events', async (t) => {
  const { app } = await createApp(t)
  const object = { create: async (data: object) => data }
  const one = app.service('one', object, {
    hooks: {
      after: {
        create: (context) => {
          context.result = { by: 'one' }
        }
      }
    }
  })
  const two = app.service('two', object)
  const seen: unknown[] = []
  two.on('created', (record) => seen.push(record))
  t.same(await one.create({}), { by: 'one' })
  t.same(await two.create({ a: 1 }), { a: 1 })
  t.same(seen, [{ a: 1 }])
})

t.test('a method that is replaced on the object later is the one that is called', async (t) => {
  const { app } = await createApp(t)
  const object = { find: async () => ['before'] }
  const service = app.service('things', object)
  object.find = async () => ['after']
  t.same(await service.find(), ['after'])
})
