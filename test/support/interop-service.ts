import errors from '@feathersjs/errors'

interface Params {
  query?: Record<string, unknown>
  route?: Record<string, string>
  headers?: Record<string, unknown>
  provider?: string
}

interface Context {
  id?: unknown
  result?: unknown
  dispatch?: unknown
  http?: { status?: number; location?: string; headers?: Record<string, string | string[]> }
}

const results: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['undefined', undefined],
  ['zero', 0],
  ['false', false],
  ['text', 'text'],
  ['number', 7],
  ['true', true],
  ['list', []]
])

const failures: ReadonlyMap<string, () => Error> = new Map([
  ['missing', () => new errors.NotFound('No such thing', { id: 'missing' })],
  ['invalid', () => new errors.BadRequest('Invalid thing', { why: 'test', errors: { text: 'is missing' } })],
  ['login', () => new errors.NotAuthenticated('Not authenticated')],
  ['taken', () => new errors.Conflict('Taken', ['a', 'b'])],
  ['down', () => new errors.Unavailable('Back soon')],
  ['crash', () => new Error('boom')],
  ['driver', () => Object.assign(new Error('duplicate'), { code: 11000 })]
])

/** A service that answers what it was called with; some ids stand for other results and for errors. */
export class Things {
  async find({ query, route, provider, headers }: Params) {
    return { query, route, provider, test: headers?.['x-test'] }
  }

  async get(id: string, { query }: Params): Promise<unknown> {
    const failure = failures.get(id)
    if (failure !== undefined) throw failure()
    return results.has(id) ? results.get(id) : { id, query }
  }

  async create(data: unknown, { query, route }: Params): Promise<unknown> {
    if (Array.isArray(data)) return data.map((item, index) => ({ ...item, id: index + 1 }))
    return (data as { nothing?: boolean }).nothing ? null : { id: 1, data, query, route }
  }

  async update(id: unknown, data: unknown, { query }: Params) {
    return { id, data, query }
  }

  async patch(id: unknown, data: unknown, { query }: Params) {
    return { id, data, query }
  }

  async remove(id: unknown, { query }: Params): Promise<unknown> {
    return id === 'null' ? null : { id, query }
  }

  async archive(data: unknown, { query }: Params) {
    return { archived: data, query }
  }

  /** Not among the methods that may be called from outside. */
  async hidden() {
    return 'hidden'
  }
}

/** A service that has no more than a `find`. */
export class Reader {
  async find() {
    return []
  }
}

/** A service that answers pages of two of its five records. */
export class Pages {
  async find({ query: { $skip = '0', $sort, id, ...query } = {} }: Params) {
    const skip = Number($skip)
    const data = [0, 1, 2, 3, 4].slice(skip, skip + 2).map((id) => ({ id, query }))
    return { total: 5, limit: 2, skip, data }
  }
}

export const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive'] as const

/** What the hook of the service says about the answer to the `get` of some ids. */
const answers: ReadonlyMap<unknown, Partial<Context>> = new Map<unknown, Partial<Context>>([
  ['accepted', { http: { status: 202 } }],
  ['moved', { http: { location: '/things/ä b' } }],
  ['header', { http: { headers: { 'X-Thing': 'yes' } } }],
  ['dispatch', { dispatch: { safe: true } }]
])

/** A hook that says something about the answer. It is written for Feathers and for this library alike. */
export async function answer(context: Context): Promise<void> {
  Object.assign(context, answers.get(context.id))
}
