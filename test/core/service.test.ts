import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import t from 'tap'
import { createApp } from '../support/core.js'
import { reservedMessage, reservedNames } from '../support/reserved-names.js'

const find = async () => ['found']
const archive = async (data: object) => ({ archived: data })

t.test('`methods`: what HTTP may call; the others are there for the server itself', async (t) => {
  const { app } = await createApp(t)
  const service = app.service(
    'things',
    { find, get: async (id: string) => id, archive },
    { methods: ['find', 'archive'] }
  )
  t.same(await service.get('1'), '1')
  t.same(await service.archive({ a: 1 }), { archived: { a: 1 } })
  t.equal((await app.inject('/things')).statusCode, 200)
  t.equal((await app.inject('/things/1')).statusCode, 405)
  const custom = { method: 'POST', url: '/things', payload: { a: 1 } } as const
  t.same((await app.inject({ ...custom, headers: { 'x-service-method': 'archive' } })).json(), { archived: { a: 1 } })
})

t.test('`methods` by default: those of the six that exist', async (t) => {
  const { app } = await createApp(t)
  app.service('things', { find, archive })
  t.equal((await app.inject('/things')).statusCode, 200)
  const response = await app.inject({
    method: 'POST',
    url: '/things',
    payload: {},
    headers: { 'x-service-method': 'archive' }
  })
  t.equal(response.statusCode, 405)
})

t.test('custom methods alone make a service', async (t) => {
  const { app } = await createApp(t)
  t.same(await app.service('things', { archive }, { methods: ['archive'] }).archive({}), { archived: {} })
})

t.test('a helper of the object that is not in `methods` runs without hooks', async (t) => {
  const { app } = await createApp(t)
  const hook = () => t.fail('a helper has no hooks')
  const service = app.service(
    'things',
    { find, helper: (a: number, b: number) => a + b },
    { hooks: { before: { all: [hook] } } }
  )
  t.equal(service.helper(1, 2), 3, 'nor does it become a promise')
})

for (const object of [
  {},
  { archive },
  { setup() {} },
  { find: 'no function', get: null },
  [],
  new (class Empty {})()
]) {
  t.test(
    `an object with none of the methods (${JSON.stringify(Object.keys(object))}): an error that says what to do`,
    async (t) => {
      const { app } = await createApp(t)
      t.throws(() => app.service('things', object), {
        message:
          "The service 'things' has none of the methods find, get, create, update, patch, remove: give it one, or name its own in the option `methods`"
      })
      t.throws(() => app.service('things', object, { methods: [] }), { message: /none of the methods/ })
      app.service('things', { find })
    }
  )
}

for (const object of [null, 'text', 1, true, () => {}]) {
  t.test(`${String(object)} in the place of the object: an error that says what to do`, async (t) => {
    const { app } = await createApp(t)
    t.throws(() => app.service('things', object as never as object), { message: /'things'/ })
  })
}

t.test('`methods` that names what the object lacks: an error that names it', async (t) => {
  const { app } = await createApp(t)
  for (const name of ['archvie', 'create', '']) {
    t.throws(() => app.service('things', { find, archive }, { methods: [name as never] }), {
      message: `The service 'things' has no method '${name}', which its option \`methods\` names`
    })
  }
})

for (const name of reservedNames)
  t.test(`'${name}' can't be a custom method`, async (t) => {
    const { app } = await createApp(t)
    const object = Object.defineProperty({ find }, name, { value: archive, enumerable: true }) as object as Record<
      string,
      typeof archive
    >
    t.throws(() => app.service('things', object, { methods: ['find', name] }), {
      message: reservedMessage(name, 'things')
    })
    t.same(await app.service('things', { find }).find(), ['found'], 'the path is still free')
  })

for (const [name, result] of [
  ['null', null],
  ['string', 'text'],
  ['`0`', 0],
  ['Buffer', Buffer.from('bytes')],
  ['stream', Readable.from(['a'])]
] as const) {
  t.test(`a service with a ${name} result`, async (t) => {
    const { app } = await createApp(t)
    t.equal(await app.service('things', { find: async () => result }).find(), result)
  })
}

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

t.test('any of them may be replaced on the service, as spies of tests do', async (t) => {
  const { app } = await createApp(t)
  const object = new Counter()
  const service = app.service('things', object)
  service.reset = () => object
  t.equal(service.reset(1), object)
  t.same([...service], [0], 'it was not called')
  Object.defineProperty(service, 'step', { value: 3 })
  t.same([service.step, object.step], [3, 1])
  t.ok(Reflect.deleteProperty(service, 'reset'))
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
  const pending = service.find()
  t.ok(pending instanceof Promise)
  t.same(await pending, ['a'])
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
  const first = app.service('one', object, {
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
  t.same(await first.create({}), { by: 'one' })
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
