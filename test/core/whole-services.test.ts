import t from 'tap'
import { neutral } from '../../lib/core/compose.js'
import { define, forward } from '../../lib/core/facade.js'
import { HookStore } from '../../lib/core/hooks.js'
import { createService, existingMethods } from '../../lib/core/service.js'
import { isKept } from '../support/kept.js'
import { outcomeOf, settledOf, told } from './told.js'

const symbol = Symbol('symbol')
const answer = async (...args: unknown[]) => args
class Base {
  inherited() {
    return 'inherited'
  }
  overridden() {
    return 'of Base'
  }
  get reader() {
    return 'read'
  }
}
class Things extends Base {
  #secret = 'private'
  own = 1
  arrow = () => this.#secret
  events = ['created'];
  [symbol] = 'of a symbol'
  find = answer
  archive = answer
  override overridden() {
    return `${super.overridden()}, of Things`
  }
  get secret() {
    return this.#secret
  }
  set secret(value: string) {
    this.#secret = value
  }
  async get(id: unknown) {
    return { id, secret: this.#secret }
  }
  on() {
    return 'of the object'
  }
}
const common = new HookStore()
const failures: unknown[] = []
const base = {
  app: 'the app',
  path: 'a/b',
  common,
  observer: neutral,
  onListenerError: (error: unknown, event: string) => void failures.push([event, told(error)])
}

/** By name: of which kind each member is, and what it is. */
function membersOf(object: object) {
  const rows = Reflect.ownKeys(object).map((key) => {
    const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor
    const is = Object.entries(flags).flatMap(([name, is]) => (is ? [name] : []))
    return [
      String(key),
      [...is, get && 'get', set && 'set', value !== undefined && told(value)].filter(Boolean).join(' ')
    ]
  })
  return Object.fromEntries(rows)
}

t.test('the members of services, and what reaches the object', async (t) => {
  const things = new Things()
  const service = createService(things, { ...base, methods: ['archive'] }).service as unknown as Record<
    PropertyKey,
    unknown
  > &
    Things
  const before = [
    service.own,
    service.secret,
    service.reader,
    service[symbol],
    service.inherited(),
    service.overridden()
  ]
  Object.assign(service, { own: 2, secret: 'changed', arrow: 'replaced', inherited: 'replaced' })
  const target = { a: 'its own' }
  define(target, 'toString', 'of the target')
  define(target, '__proto__', 'a field')
  forward(Object.assign(Object.create({ c: 'of the prototype', d: answer }), { a: 1, b: answer }), target)
  const kept = {
    service: membersOf(service),
    before,
    after: [things.own, things.secret, things.arrow, service.inherited, things.inherited(), service.arrow],
    target: membersOf(target),
    proxied: membersOf(createService({}, { ...base, provide: () => undefined }).service),
    get: await settledOf(service.get(1)),
    find: await settledOf(service.find('a')),
    archive: await settledOf((service.archive as typeof answer)({})),
    existing: [{}, { find: answer, get: 1, remove: answer, archive: answer }].map((one) =>
      existingMethods(one as never)
    )
  }
  isKept(t, kept, 'test/core/whole-services-members.txt')
})

/** What a service tells of a call: by listeners of the object and of the service. */
async function callsOf(
  object: object,
  options: object,
  call: (service: Record<string, typeof answer>) => Promise<unknown>
) {
  const { service, methods, hooks, object: same } = createService(object, { ...base, ...options } as never)
  const seen: unknown[] = []
  for (const event of ['created', 'patched', 'archived'])
    service.on(event, (record) => void seen.push([event, told(record)]))
  const outcome = await settledOf(call(service as never))
  return [
    outcome,
    seen,
    [...methods.keys()],
    hooks.added.map(({ type, method }) => `${type} ${method}`),
    same === object
  ]
}
const things = { create: answer, patch: answer, archive: answer }
const own = (name: string) => new Error(`No ${name}`)

t.test('services with their options', async (t) => {
  const create = (service: Record<string, typeof answer>) => (service.create as typeof answer)({ a: 1 }, { query: {} })
  const provided: unknown[] = []
  const provide = (object: Record<string, unknown>, name: string, { verb }: { verb: string }) => {
    provided.push([name, verb])
    object[name] = answer
  }
  const names = 'hooks on emit setup then all error find a-b toString archive'.split(' ')
  const kept = {
    plain: await callsOf(things, {}, create),
    'own events': await callsOf(things, { events: ['created'] }, create),
    'own events of the object': await callsOf({ ...things, events: ['created'] }, {}, create),
    both: await callsOf({ ...things, events: ['created'] }, { events: [] }, create),
    'events that are no list': await callsOf({ ...things, events: 'created' }, {}, create),
    hooked: await callsOf(things, { hooks: { after: { create: () => ({ event: 'archived' }) } } }, create),
    'a method twice': await callsOf(things, { methods: ['archive', 'archive', 'create'] }, (service) =>
      (service.archive as typeof answer)('data')
    ),
    failing: await callsOf({ create: () => Promise.reject(own('create')) }, {}, create),
    'failing at once': await callsOf(
      {
        create: () => {
          throw own('more')
        }
      },
      {},
      create
    ),
    missing: await callsOf(things, {}, (service) => (service.patch as typeof answer)(undefined)),
    provided: [
      await callsOf({}, { provide }, async (service) => [
        await service.find?.({ a: 1 }),
        await service.publish?.({ b: 2 })
      ]),
      provided
    ],
    'what is provided without a call': [...'find publish on then all toJSON _a $b'.split(' '), Symbol.iterator].map(
      (name) => told((createService({}, { ...base, provide: () => undefined }).service as never)[name])
    ),
    refused: Object.fromEntries(
      names.map((name) => [name, outcomeOf(() => [...createService({}, { ...base, methods: [name] }).methods.keys()])])
    ),
    'refused hooks': [
      { before: { finnd: answer } },
      { befor: answer },
      { after: { archive: [1] } },
      { around: { all: answer } }
    ].map((hooks) =>
      outcomeOf(
        () => createService(things, { ...base, methods: ['archive'], hooks: hooks as never }).hooks.added.length
      )
    ),
    'refused hooks where any name is one': outcomeOf(() =>
      createService(
        {},
        { ...base, provide: () => undefined, hooks: { before: { finnd: answer } } as never }
      ).hooks.added.map((one) => told(one))
    )
  }
  isKept(t, kept, 'test/core/whole-services-options.txt')
})
