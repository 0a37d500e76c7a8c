import { Readable } from 'node:stream'
import { AuthenticationService, authenticate } from '@feathersjs/authentication'
import { NotFound } from '@feathersjs/errors'
import { feathers, type HookContext, type NextFunction } from '@feathersjs/feathers'
import authentication, { authenticate as ourGuard } from 'fastify-services/authentication'
import t from 'tap'
import { told } from '../core/told.js'
import { isKept } from '../support/kept.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'
import { ApiKey, ask, key, mirror, type Row } from './asking.js'

const methods = Object.keys(mirror)

/** What hooks of theirs do, by the id of the record. */
const acts: Record<string, (context: HookContext) => unknown> = {
  status: (context) => Object.assign(context, { http: { status: 202, headers: { 'X-Thing': 'a' } } }),
  location: (context) => Object.assign(context, { http: { location: '/ä b' } }),
  early: (context) => Object.assign(context, { result: { early: true } }),
  nothing: (context) => Object.assign(context, { result: null }),
  dispatch: (context) => Object.assign(context, { dispatch: { shown: true } }),
  stream: (context) => Object.assign(context, { result: Readable.from(['a', 'b']) }),
  arguments: (context) => Object.assign(context, { id: 'other', params: { ...context.params, more: 1 } }),
  missing: () => Promise.reject(new NotFound('There is none', { id: 1, errors: [2] })),
  failing: () => Promise.reject(new Error('of a hook')),
  'status and failing': (context) => Object.assign(context, { http: { status: 202 } }) && acts.failing?.(context)
}

function createTheirs(ran: unknown[]): Theirs {
  const theirs: Theirs = feathers()
  theirs.set('authentication', { secret: 'x'.repeat(32), entity: null, authStrategies: ['api-key'] })
  const service = new AuthenticationService(theirs)
  service.register('api-key', new ApiKey())
  theirs.use('login', service)
  theirs.use('things', mirror, { methods })
  theirs.use('rooms/:room/things', mirror, { methods })
  theirs.use('fixed/:room', mirror, { routeParams: { tenant: 'a', room: 'never' } } as object)
  theirs.use('hidden', mirror, { methods: [] })
  theirs.use('some', mirror, { methods: ['get', 'archive'] })
  theirs.use('guarded', mirror)
  theirs.service('guarded').hooks({ around: { all: [authenticate('api-key')] } })
  const act = ({ id }: HookContext) => acts[id as string]
  theirs.service('things').hooks({
    around: {
      all: [
        async (context: HookContext, next: NextFunction) => {
          ran.push(`${context.type} ${context.method} ${context.id} ${context.app === theirs}`)
          await next()
        }
      ]
    },
    before: { get: [(context: HookContext) => act(context)?.(context) as never] },
    after: { patch: [(context: HookContext) => act(context)?.(context) as never] },
    error: { get: [(context: HookContext) => void ran.push(told(context.error))] }
  })
  return theirs
}

const custom = (name: string) => ({ 'x-service-method': name })
const rows: Row[] = [
  ['GET', '/things'],
  ['GET', '/things?a[b]=1&a[c]=2&d=3'],
  ['GET', '/things/1'],
  ['POST', '/things', { a: 1 }],
  ['POST', '/things', [{ a: 1 }, { b: 2 }]],
  ['POST', '/things', 'text'],
  ['POST', '/things'],
  ['PUT', '/things/1', { a: 1 }],
  ['PUT', '/things', { a: 1 }],
  ['PATCH', '/things/1', { a: 1 }],
  ['PATCH', '/things', { a: 1 }],
  ['PATCH', '/things/1', [{ a: 1 }]],
  ['DELETE', '/things/1'],
  ['DELETE', '/things'],
  ...['archive', 'find', 'setup', 'hooks', 'nothing'].map((name): Row => ['POST', '/things', { a: 1 }, custom(name)]),
  ...Object.keys(acts).map((id): Row => ['GET', `/things/${id}`]),
  ...Object.keys(acts).map((id): Row => ['PATCH', `/things/${id}`, {}]),
  ['GET', '/rooms/blue/things'],
  ['GET', '/rooms/a%2Fb/things/7?x=1'],
  ['POST', '/rooms/blue/things', { a: 1 }, custom('archive')],
  ['GET', '/fixed/blue'],
  ['GET', '/fixed/blue/1'],
  ['GET', '/hidden'],
  ['GET', '/some'],
  ['POST', '/some', { a: 1 }],
  ['POST', '/some', { a: 1 }, custom('archive')],
  ['POST', '/some', { a: 1 }, custom('get')]
]
const guarded: Row[] = [
  ['GET', '/things', undefined, key],
  ['GET', '/guarded', undefined, key],
  ['GET', '/guarded'],
  ['GET', '/guarded', undefined, { 'x-key': 'bad' }],
  ['POST', '/login', { strategy: 'api-key', key: 'bad' }],
  ['POST', '/login', { strategy: 'none' }],
  ['GET', '/ours'],
  ['GET', '/ours', undefined, key],
  ['GET', '/both', undefined, { ...key, authorization: 'Our 1' }],
  ['GET', '/both', undefined, { authorization: 'Our 1' }],
  ['GET', '/both', undefined, key]
]
const ours = {
  strategies: {
    ours: {
      parse: ({ headers }: { headers: { authorization?: string } }) =>
        headers.authorization?.startsWith('Our ') ? { strategy: 'ours', id: headers.authorization.slice(4) } : null,
      authenticate: ({ id }: { id: string }) => ({ ours: id, query: 'never', authentication: { strategy: 'ours' } })
    }
  }
}

for (const withOurs of [false, true])
  t.test(
    `a Feathers application as it answers when it is mounted${withOurs ? ', beside our authentication' : ''}`,
    async (t) => {
      const ran: unknown[] = []
      const around: unknown[] = []
      const guard = ourGuard('ours')
      const see = async (context: Record<string, unknown>, next: () => Promise<void>) => {
        const { path, method, id, http } = context
        const row = `${path} ${method} ${id} ${JSON.stringify(http)}`
        const end = (how: string) =>
          around.push(`${row} → ${how} ${context.id} ${typeof context.result} ${JSON.stringify(context.http)}`)
        const inner = async () => (context.path === 'both' ? void (await guard(context as never, next)) : next())
        await inner().then(
          () => end('done'),
          (error) => {
            end(`failed with ${error.name}`)
            throw error
          }
        )
      }
      const theirs = createTheirs(ran)
      const app = await createMounted(t, theirs, {
        plugin: { errorHandler: { html: false, logger: false }, hooks: { around: { all: [see as never] } } },
        after: async (app) => {
          if (withOurs)
            await app.register(authentication, {
              secret: 'y'.repeat(32),
              entity: null,
              path: 'our-login',
              strategies: ours.strategies as never
            })
          app.service('ours', { find: mirror.find } as object)
        }
      })
      if (withOurs) theirs.use('both', mirror)
      const table: Record<string, unknown> = {}
      for (const row of withOurs ? guarded : [...rows, ...guarded]) {
        const text = [
          row[0],
          row[1],
          row[2] === undefined ? '' : JSON.stringify(row[2]),
          row[3] ? JSON.stringify(row[3]) : ''
        ]
          .join(' ')
          .trim()
        table[text] = [...(await ask(app, row)), ...ran.splice(0), around.splice(0).join('; ')]
      }
      isKept(t, table, `test/mount/whole-mounted${withOurs ? '-ours' : ''}.txt`)
    }
  )
