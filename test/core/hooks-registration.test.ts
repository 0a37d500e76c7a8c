import type { HookContext, HookOptions, NextFunction } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/core.js'

type Lenient = {
  hooks(options: unknown): Lenient
  find(): Promise<unknown>
  get(id: string): Promise<unknown>
  archive(data: object): Promise<unknown>
}

async function createService(t: Test, hooks?: unknown) {
  const { app } = await createApp(t)
  const object = { find: async () => [], get: async (id: string) => id, archive: async (data: object) => data }
  const options = {
    methods: ['find', 'get', 'archive'] as const,
    ...(hooks === undefined ? {} : { hooks: hooks as HookOptions })
  }
  return app.service('things', object, options as object) as unknown as Lenient
}

const counter = () => {
  const hook = Object.assign(
    (_context: HookContext, next?: NextFunction) => {
      hook.calls += 1
      return next?.()
    },
    { calls: 0 }
  )
  return hook
}

for (const type of ['around', 'before', 'after']) {
  t.test(`${type} hooks: a function, a list, a map of either`, async (t) => {
    const hook = counter()
    for (const map of [hook, [hook], { all: hook }, { all: [hook] }, { get: hook }, { get: [hook] }]) {
      hook.calls = 0
      const service = await createService(t, { [type]: map })
      await service.get('1')
      t.equal(hook.calls, 1)
    }
  })
}

t.test('registered with the service or later: those added later stand inside', async (t) => {
  const calls: string[] = []
  const add = (name: string) => () => {
    calls.push(name)
  }
  const service = await createService(t, { before: { get: add('with the service') } })
  t.equal(service.hooks({ before: { get: [add('later')] } }), service, 'it chains')
  await service.get('1')
  t.same(calls, ['with the service', 'later'])
  service.hooks({ before: { all: add('all, last') } })
  calls.length = 0
  await service.get('1')
  t.same(calls, ['all, last', 'with the service', 'later'])
})

t.test('a hook that is added while a call runs is there for the next call', async (t) => {
  const hook = counter()
  const service = await createService(t, {
    before: {
      get: () => {
        service.hooks({ after: { get: hook } })
      }
    }
  })
  await service.get('1')
  t.equal(hook.calls, 0)
  await service.get('1')
  t.equal(hook.calls, 1)
})

t.test('as in Feathers, a function, a list or a map by method without a type are around hooks', async (t) => {
  const hook = counter()
  const service = await createService(t)
  service
    .hooks([hook])
    .hooks({ get: [hook] })
    .hooks(hook)
  await service.get('1')
  t.equal(hook.calls, 3)
  await service.find()
  t.equal(hook.calls, 5)
})

t.test('custom methods have hooks', async (t) => {
  const hook = counter()
  const service = await createService(t, { before: { archive: [hook] }, after: { all: [hook] } })
  t.same(await service.archive({ id: '1' }), { id: '1' })
  t.equal(hook.calls, 2)
})

t.test('hooks for one of the six that the service lacks are no mistake', async (t) => {
  const hook = counter()
  const service = await createService(t, { before: { create: [hook] } })
  await service.find()
  t.equal(hook.calls, 0)
})

t.test('empty hooks, and types that are left out', async (t) => {
  for (const hooks of [
    {},
    { before: {} },
    { before: undefined },
    { before: [] },
    { around: { all: [] }, error: undefined }
  ]) {
    const service = await createService(t, hooks)
    t.same(await service.find(), [])
  }
})

t.test('a hook type that is none: an error that says what to do', async (t) => {
  const hook = counter()
  await t.rejects(createService(t, { before: hook, befor: hook }), {
    message: "Service 'things': unknown hook type or method 'befor'. Did you mean 'before'?"
  })
  await t.rejects(createService(t, { before: hook, ['__proto__']: hook }), /unknown hook type or method '__proto__'/)
  await t.rejects(createService(t, { before: hook, constructor: hook }), /unknown hook type or method 'constructor'/)
  await t.rejects(createService(t, { befor: { all: hook } }), /'befor'. Did you mean 'before'\?$/)
  const { app } = await createApp(t)
  await t.rejects(
    createApp(t, { hooks: { arround: { all: [] }, after: {} } as object }),
    /^App: .*'arround'. Did you mean 'around'\?$/
  )
  t.ok(app.service('any', { find: async () => [] }), 'none')
})

t.test('hooks for a method that is none: an error that names it', async (t) => {
  const service = await createService(t)
  t.throws(() => service.hooks({ before: { finnd: [() => {}] } }), {
    message: "Service 'things': unknown hook type or method 'finnd'. Did you mean 'find'?"
  })
  t.throws(() => service.hooks({ befor: { all: [] } }), {
    message: "Service 'things': unknown hook type or method 'befor'. Did you mean 'before'?"
  })
  t.throws(() => service.hooks({ finnd: [() => {}] }), { message: /'finnd'/ })
  t.throws(() => service.hooks({ error: { toString: [() => {}] } }), { message: /'toString'/ })
})

t.test(
  'hooks for a method beside a hook type, and for a type under a type: an error that says where they stand',
  async (t) => {
    const hook = counter()
    const service = await createService(t)
    for (const name of ['find', 'all', 'archive'])
      t.throws(() => service.hooks({ before: {}, [name]: [hook] }), {
        message: `Service 'things': hooks of '${name}' must stand under a hook type, as in { before: { ${name}: [hook] } }`
      })
    await t.rejects(createApp(t, { hooks: { error: [], create: [hook] } as object }), {
      message: "App: hooks of 'create' must stand under a hook type, as in { error: { create: [hook] } }"
    })
    t.throws(() => service.hooks({ before: { after: [hook] } }), {
      message: "Service 'things': hooks of the type 'after' must stand beside 'before', not under it"
    })
    await t.rejects(createApp(t, { hooks: { around: { before: [hook] } } as object }), {
      message: "App: hooks of the type 'before' must stand beside 'around', not under it"
    })
  }
)

t.test('hooks for a method that `methods` does not name: an error that says so', async (t) => {
  const { app } = await createApp(t)
  const object = { find: async () => [], publish: async () => [] }
  const hooks = { before: { publish: [counter()] } } as HookOptions
  const error = {
    message:
      "Service 'posts': the method 'publish' has no hooks: name it in the option `methods`, which lets clients call it"
  }
  t.throws(() => app.service('posts', object, { hooks }), error)
  t.throws(() => app.service('posts', object).hooks(hooks), error)
})

t.test('a hook type that is misspelt for all services, where a method may have any name', async (t) => {
  await t.rejects(createApp(t, { hooks: { befor: [counter()] } as object }), {
    message: "App: unknown hook type or method 'befor'. Did you mean 'before'?"
  })
  const hook = counter()
  const hooks = { publish: [hook], before: undefined } as object
  await t.rejects(createApp(t, { hooks }), { message: "App: unknown hook type or method 'publish'" })
  const { app } = await createApp(t, { hooks: { publish: [hook] } as object })
  await app.service('posts', { publish: async (_data: object) => [] }, { methods: ['publish'] }).publish({})
  t.equal(hook.calls, 1)
})

t.test('hooks for a misspelt method: an error that says which one was meant', async (t) => {
  for (const [name, hint] of [
    ['finnd', ". Did you mean 'find'?"],
    ['archvie', ". Did you mean 'archive'?"],
    ['wholly', '']
  ])
    await t.rejects(
      createService(t, { before: { [`${name}`]: [] }, after: [counter()], error: { [`${name}`]: [() => {}] } }),
      {
        message: `Service 'things': unknown hook type or method '${name}'${hint}`
      }
    )
})

t.test('a hook that is no function: an error that says where', async (t) => {
  const service = await createService(t)
  for (const hook of ['authenticate', 1, {}, null]) {
    t.throws(() => service.hooks({ before: { find: [hook] } }), {
      message: "Service 'things': hooks of 'find' must be functions"
    })
  }
  await t.rejects(createApp(t, { hooks: { after: { all: ['x'] as never } } }), {
    message: "App: hooks of 'all' must be functions"
  })
})

const containers: [value: unknown, told: string][] = [
  [Promise.resolve({ before: { all: [counter()] } }), 'a promise: await it'],
  [new Map([['all', [counter()]]]), 'an object (Map)'],
  [new Set([counter()]), 'an object (Set)'],
  [
    new (class {
      all = counter()
    })(),
    'an object'
  ],
  [Object.create({ all: [counter()] }), 'an object'],
  [Symbol('x'), 'Symbol(x)'],
  ['authenticate', 'a string'],
  [1, '1'],
  [true, 'true'],
  [null, 'null']
]

t.test('hooks in what is no plain object, list or function: an error that says what to write', async (t) => {
  const service = await createService(t)
  const byType = 'a plain object by type, as in { before: { all: [hook] } }, a list or a function'
  const byMethod = 'a plain object by method, as in { all: [hook] }, a list or a function'
  for (const [value, told] of containers) {
    await t.rejects(createService(t, value), {
      message: `The option \`hooks\` of the service 'things' must be ${byType}, got ${told}`
    })
    await t.rejects(createApp(t, { hooks: value as object }), {
      message: `The option \`hooks\` of fastify-services must be ${byType}, got ${told}`
    })
    t.throws(() => service.hooks(value), { message: `Service 'things': hooks must be ${byType}, got ${told}` })
    const message = `hooks of 'before' must be ${byMethod}, got ${told}`
    await t.rejects(createService(t, { after: [], before: value }), { message: `Service 'things': ${message}` })
    await t.rejects(createApp(t, { hooks: { before: value as never } }), { message: `App: ${message}` })
    t.throws(() => service.hooks({ before: value }), { message: `Service 'things': ${message}` })
  }
  t.throws(() => service.hooks(undefined), { message: `Service 'things': hooks must be ${byType}, got undefined` })
})

t.test('hooks without a prototype, as those of a module: they run', async (t) => {
  const hook = counter()
  const bare = (entries: object) => Object.assign(Object.create(null), entries)
  const service = await createService(t, bare({ before: bare({ find: [hook] }) }))
  await service.find()
  t.equal(hook.calls, 1)
})

t.test('a function or a list, with the service or with the plugin, is an around hook of all methods', async (t) => {
  for (const wrap of [(hook: unknown) => hook, (hook: unknown) => [hook]]) {
    const hook = counter()
    await (await createService(t, wrap(hook))).find()
    const { app } = await createApp(t, { hooks: wrap(hook) as object })
    await app.service('any', { find: async () => [] }).find()
    t.equal(hook.calls, 2)
  }
})

t.test('hooks that are refused leave nothing behind', async (t) => {
  const hook = counter()
  const service = await createService(t)
  t.throws(() => service.hooks({ before: { find: [hook], finnd: [hook] } }))
  t.throws(() => service.hooks({ before: { find: [hook] }, befor: [hook] }))
  t.throws(() => service.hooks({ before: { find: [hook, 'x'] } }))
  service.hooks({ before: { get: [() => {}] } })
  await service.find()
  t.equal(hook.calls, 0)
})

t.test('hooks of `setup` and `teardown`: an error that says what to use', async (t) => {
  for (const name of ['setup', 'teardown']) {
    await t.rejects(createService(t, { around: { [name]: [() => {}] } }), { message: /onReady and onClose/ })
    await t.rejects(createService(t, { around: {}, [name]: [() => {}] }), { message: /onReady and onClose/ })
    await t.rejects(createApp(t, { hooks: { around: { [name]: [() => {}] } } }), { message: /onReady and onClose/ })
  }
})
