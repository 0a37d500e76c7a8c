import { Readable } from 'node:stream'
import t from 'tap'
import { createApp } from '../support/core.js'

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

const reserved = {
  'every service has it already': [
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'on',
    'once',
    'off',
    'emit',
    'addListener',
    'removeListener',
    'removeAllListeners',
    'listeners',
    'listenerCount',
    'hooks'
  ],
  'it is called automatically': ['setup', 'teardown', 'then'],
  'hooks use the word': ['all', 'around', 'before', 'after', 'error']
}

for (const [reason, names] of Object.entries(reserved))
  for (const name of names)
    t.test(`'${name}' can't be a custom method: ${reason}`, async (t) => {
      const { app } = await createApp(t)
      const object = Object.defineProperty({ find }, name, { value: archive, enumerable: true }) as object as Record<
        string,
        typeof archive
      >
      t.throws(() => app.service('things', object, { methods: ['find', name] }), {
        message: `'${name}' can't be a method of the service 'things': ${reason}`
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
