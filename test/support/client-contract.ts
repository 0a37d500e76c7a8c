type Params = {
  query?: object
  headers?: Record<string, string>
  route?: Record<string, string>
  connection?: object
}
type Id = string | number | null

/** A service as a client hands it out. */
export interface RemoteService {
  find(params?: Params): Promise<unknown>
  get(id: Id, params?: Params): Promise<unknown>
  create(data: unknown, params?: Params): Promise<unknown>
  update(id: Id, data: unknown, params?: Params): Promise<unknown>
  patch(id: Id, data: unknown, params?: Params): Promise<unknown>
  remove(id: Id, params?: Params): Promise<unknown>
  archive(data?: unknown, params?: Params): Promise<unknown>
  on(event: string, listener: (record: unknown) => void): unknown
}

export interface RemoteApp {
  service(path: string): RemoteService
  /** Walks through a service, in our clients. */
  iterate?(path: string, params?: Params): AsyncIterable<unknown>
}

/** Stands in an expected result for what a client makes of an answer without a body. */
export const nothing = Symbol('nothing')

/** A row of the contract of clients. It may run in a page: it is sent there as text, and uses its parameters alone. */
export interface Row {
  readonly name: string
  run(app: RemoteApp, outcome: (call: () => Promise<unknown>) => Promise<unknown>): Promise<unknown>
  /** What it gives, as `t.match` reads it. */
  readonly expected: unknown
  /** Whether the clients of Feathers do not have it. */
  readonly isOurs?: true
}

const data = { text: 'ä "quoted" 😀', n: 1, deep: { list: [1, null, true] } }

/** What every client gets of every server. */
export const contract: readonly Row[] = [
  {
    name: 'find: nested operators and lists',
    run: (app) =>
      app.service('things').find({
        query: {
          status: { $ne: 'x', $in: ['a', 'b'] },
          $or: [{ a: 1 }, { b: { $lt: 2 } }],
          $sort: { at: -1 },
          $select: ['text', 'at'],
          at: { $gt: new Date(0) }
        }
      }),
    expected: {
      query: {
        status: { $ne: 'x', $in: ['a', 'b'] },
        $or: [{ a: '1' }, { b: { $lt: '2' } }],
        $sort: { at: '-1' },
        $select: ['text', 'at'],
        at: { $gt: '1970-01-01T00:00:00.000Z' }
      },
      provider: 'rest'
    }
  },
  {
    name: 'find: characters of every kind, and no query',
    run: async (app) => [
      await app.service('things').find({ query: { a: "x & y=z+ä%'()*!😀", b: '', 'ä[b]': 'c' } }),
      await app.service('things').find()
    ],
    expected: [{ query: { a: "x & y=z+ä%'()*!😀", b: '' } }, { query: {} }]
  },
  {
    name: 'get: ids are strings',
    run: async (app) => [
      await app.service('things').get('1', { query: { a: { b: 'c' } } }),
      await app.service('things').get(7),
      await app.service('things').get('a-b_c.d~1')
    ],
    expected: [{ id: '1', query: { a: { b: 'c' } } }, { id: '7', query: {} }, { id: 'a-b_c.d~1' }]
  },
  {
    name: 'create: a record, a batch, an empty batch',
    run: async (app) => {
      const data = { text: 'ä "quoted" 😀', n: 1, deep: { list: [1, null, true] } }
      const things = app.service('things')
      return [
        await things.create(data, { query: { a: '1' } }),
        await things.create([{ a: 1 }, { a: 2 }]),
        await things.create([])
      ]
    },
    expected: [
      { id: 1, data, query: { a: '1' } },
      [
        { a: 1, id: 1 },
        { a: 2, id: 2 }
      ],
      []
    ]
  },
  {
    name: 'update, patch, remove of a record',
    run: async (app) => [
      await app.service('things').update('1', { a: 1 }, { query: { a: '1' } }),
      await app.service('things').patch('1', { a: 2 }),
      await app.service('things').remove('1', { query: { a: '1' } })
    ],
    expected: [
      { id: '1', data: { a: 1 }, query: { a: '1' } },
      { id: '1', data: { a: 2 } },
      { id: '1', query: { a: '1' } }
    ]
  },
  {
    name: 'update, patch, remove with `null` as id',
    run: async (app) => [
      await app.service('things').update(null, { a: 1 }, { query: { a: { $gt: '1' } } }),
      await app.service('things').patch(null, { a: 2 }, { query: { a: '1' } }),
      await app.service('things').remove(null, { query: { a: '1' } }),
      await app.service('things').remove(null)
    ],
    expected: [
      { id: null, data: { a: 1 }, query: { a: { $gt: '1' } } },
      { id: null, data: { a: 2 }, query: { a: '1' } },
      { id: null, query: { a: '1' } },
      { id: null, query: {} }
    ]
  },
  {
    name: 'a custom method',
    run: async (app) => [
      await app.service('things').archive({ a: 1 }, { query: { b: '2' } }),
      await app.service('things').archive([1, 2])
    ],
    expected: [
      { archived: { a: 1 }, query: { b: '2' } },
      { archived: [1, 2], query: {} }
    ]
  },
  {
    name: '`params.headers` and `params.route`',
    run: async (app) => [
      await app.service('things').find({ headers: { 'X-Test': 'yes' } }),
      await app.service('users/:userId/things').find({ route: { userId: '7' } }),
      await app.service('users/:userId/things').create({ a: 1 }, { route: { userId: '7' } })
    ],
    expected: [{ test: 'yes' }, { route: { userId: '7' } }, { data: { a: 1 }, route: { userId: '7' } }]
  },
  {
    name: 'a `null` result',
    run: async (app) => [
      await app.service('things').get('null'),
      await app.service('things').create({ nothing: true }),
      await app.service('things').remove('null')
    ],
    expected: [nothing, nothing, nothing]
  },
  {
    name: 'errors: class, code, message, data, errors',
    run: (app, outcome) =>
      Promise.all(
        ['missing', 'invalid', 'login', 'taken', 'down'].map((id) => outcome(() => app.service('things').get(id)))
      ),
    expected: [
      {
        name: 'NotFound',
        classOf: 'NotFound',
        code: 404,
        className: 'not-found',
        message: 'No such thing',
        data: { id: 'missing' }
      },
      {
        classOf: 'BadRequest',
        code: 400,
        message: 'Invalid thing',
        data: { why: 'test' },
        errors: { text: 'is missing' }
      },
      { classOf: 'NotAuthenticated', code: 401 },
      { classOf: 'Conflict', data: ['a', 'b'] },
      { classOf: 'Unavailable', code: 503, message: 'Back soon' }
    ]
  },
  {
    name: 'errors of the transport',
    run: async (app, outcome) => [
      await outcome(() => app.service('reader').create({ a: 1 })),
      await outcome(() => app.service('reader').get('1')),
      await outcome(() => app.service('nothing').find())
    ],
    expected: [
      { classOf: 'MethodNotAllowed', code: 405 },
      { classOf: 'MethodNotAllowed' },
      { classOf: 'NotFound', code: 404 }
    ]
  },
  {
    name: 'what a hook says of the answer',
    run: async (app) => [await app.service('things').get('accepted'), await app.service('things').get('dispatch')],
    expected: [{ id: 'accepted' }, { safe: true }]
  },
  {
    name: 'results that are no objects',
    isOurs: true,
    run: (app) => Promise.all(['number', 'true', 'list'].map((id) => app.service('things').get(id))),
    expected: [7, true, []]
  },
  {
    name: 'headers of the adapter, of `connection`, of the call',
    isOurs: true,
    run: async (app) => {
      const find = (params: object) => app.service('things').find(params)
      return [
        await find({ connection: { headers: { 'x-test': 'connection' } } }),
        await find({ connection: { headers: { 'x-test': 'connection' } }, headers: { 'X-TEST': 'call' } })
      ]
    },
    expected: [{ test: 'connection' }, { test: 'call' }]
  },
  {
    name: 'events, of the calls of this client alone',
    run: async (app) => {
      const events: unknown[] = []
      for (const event of ['created', 'patched', 'removed'])
        app.service('things').on(event, (record) => events.push([event, record]))
      await app.service('things').create([{ a: 1 }, { a: 2 }])
      await app.service('things').patch('1', {})
      return events
    },
    expected: [
      ['created', { a: 1, id: 1 }],
      ['created', { a: 2, id: 2 }],
      ['patched', { id: '1' }]
    ]
  },
  {
    name: 'iterate walks the pages',
    isOurs: true,
    run: async (app) => {
      const events: unknown[] = []
      for await (const record of app.iterate?.('pages', { query: { a: 'b' } }) ?? []) events.push(record)
      return events
    },
    expected: [0, 1, 2, 3, 4].map((id) => ({ id, query: { a: 'b' } }))
  }
]
