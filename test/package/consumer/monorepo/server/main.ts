import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import services, {
  BadRequest,
  commonOperators,
  errorHandler,
  type HookContext,
  type Id,
  idempotency,
  type Multi,
  memoryStore,
  NotFound,
  type Paged,
  type Params,
  type RecordOf,
  resource,
  ServiceError,
  type ServiceOf,
  type Unpaged,
  version,
  type WithMethods
} from 'fastify-services'
import authentication, {
  allow,
  authenticate,
  hashPassword,
  LocalStrategy,
  own,
  protect,
  type Strategy,
  scope,
  within
} from 'fastify-services/authentication'
import { databaseErrors } from 'fastify-services/database'
import { memoryLog } from 'fastify-services/events'
import { applicationOf } from 'fastify-services/feathers'
import { openapi } from 'fastify-services/openapi'
import Type from 'typebox'
import * as z from 'zod'

// What a server of a monorepo exports without types of its own: each must be written to its declarations.

const message = z.object({ id: z.int(), text: z.string(), key: z.string(), tags: z.array(z.string()).optional() })
export const messages = resource(message, { readOnly: ['id'], writeOnly: ['key'] })
export const posts = resource(message, {
  readOnly: ['id'],
  operators: { $like: { type: 'string' } },
  query: z.object({ search: z.string().optional() }),
  methods: {
    publish: { route: 'POST /:id/publish', body: z.object({ at: z.string() }) },
    count: { route: 'GET /count', response: z.object({ count: z.int() }) },
    touch: {}
  }
})
export const users = resource(Type.Object({ id: Type.Integer(), name: Type.String() }), { readOnly: ['id'] })
export const notes = resource(
  { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text: { type: 'string' } } } as const,
  { readOnly: ['id'] }
)
const Folder = z.object({
  id: z.int(),
  key: z.string(),
  get children() {
    return z.array(Folder).optional()
  }
})
export const folders = resource(Folder, { readOnly: ['id'], writeOnly: ['key'] })

export const offered = ['find', 'get'] as const
export interface Api {
  messages: Paged<ServiceOf<typeof messages>>
  posts: ServiceOf<typeof posts>
  users: WithMethods<ServiceOf<typeof users>, typeof offered>
  notes: Multi<Unpaged<ServiceOf<typeof notes>>>
  folders: Paged<ServiceOf<typeof folders>>
  'users/:userId/posts': ServiceOf<typeof posts>
}
declare module 'fastify-services' {
  interface Services extends Api {}
  interface Identity {
    user: RecordOf<typeof users>
  }
}

export class Plain {
  async find(_params?: Params) {
    return [{ id: 1, at: new Date() }]
  }
  async publish(id: Id) {
    return { id }
  }
}
export async function build() {
  const app = Fastify()
  await app.register(services)
  await app.register(authentication, { secret: 'x'.repeat(32), strategies: { jwt: true } })
  return app
}
export const app = await build()
export default async function plugin(app: FastifyInstance) {
  return app.service('plain', new Plain(), { methods: ['find', 'publish'], routes: { publish: 'POST /:id/publish' } })
}
export const at = (app: FastifyInstance) => ({
  messages: app.service('messages'),
  posts: app.service('posts'),
  users: app.service('users'),
  notes: app.service('notes'),
  folders: app.service('folders'),
  nested: app.service('users/:userId/posts')
})
export const byPath = <P extends 'messages' | 'users'>(app: FastifyInstance, path: P) => app.service(path)
export const methods = (app: FastifyInstance) => {
  const { find, publish, count } = app.service('users/:userId/posts')
  const { create, on, hooks } = app.service('messages')
  return { find, publish, count, create, on, hooks }
}
export const spread = (app: FastifyInstance) => ({ ...app.service('posts') })
export const page = async (app: FastifyInstance) => (await app.service('messages').find()).data
export const folder = async (app: FastifyInstance) => app.service('folders').get(1)

export const parts = ({ params, data, result, service }: HookContext) => ({ params, data, result, service })
export const typedParts = ({ data, service }: HookContext<Api['messages'], 'create'>) => ({ data, service })
export const rest = ({ app, ...others }: HookContext<Api['posts'], 'patch'>) => ({ app, others })
export const hooks = {
  around: [authenticate('jwt'), allow({ admin: true }), within('users'), idempotency({ store: memoryStore() })],
  before: [hashPassword('password'), own('userId'), commonOperators()],
  after: [protect('password'), version('id')],
  error: [databaseErrors()]
}
export const scoped = scope(({ params }) => ({ userId: params.user?.id }))
export const userOf = (request: FastifyRequest) => request.user
export const log = memoryLog()
export const document = openapi({ info: { title: 'Api', version: '1.0.0' } })
export const handler = errorHandler({ html: false })
export const feathersApp = (app: FastifyInstance) => applicationOf(app)

export class Confirmed extends LocalStrategy {
  override async authenticate(...args: Parameters<LocalStrategy['authenticate']>) {
    return super.authenticate(...args)
  }
}
export class ApiKey implements Strategy {
  async authenticate({ key }: { key?: string }) {
    if (!key) throw new BadRequest('There is no key')
    return { user: { id: 1 } }
  }
}
export const strategies = { local: new Confirmed(), key: new ApiKey() }
export const errors = { NotFound, BadRequest }
export class Missing extends NotFound {}
export class SoldOut extends ServiceError {
  constructor(left: number) {
    super(`${left} are left`, 'SoldOut', 409, { left })
  }
}
