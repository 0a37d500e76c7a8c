// The issue tracker with fastify-services, as `hono.ts` and `orpc.ts` do it with Drizzle and Better Auth.
import multipart from '@fastify/multipart'
import { sql } from 'drizzle-orm'
import Fastify from 'fastify'
import services, {
  type DataOf,
  type HookContext,
  type Id,
  type Paged,
  type Params,
  type RecordOf,
  resource,
  type ServiceOf
} from 'fastify-services'
import authentication, { allow, hashPassword, scope, within } from 'fastify-services/authentication'
import { databaseErrors, inTransaction } from 'fastify-services/database'
import { DrizzleService, drizzle } from 'fastify-services/drizzle'
import events from 'fastify-services/events'
import production, { serverOptions } from 'fastify-services/production'
import { Type } from 'typebox'
import { closeDatabase, db } from './database.ts'
import * as tables from './tables.ts'

export const app = Fastify(serverOptions())
app.addHook('onClose', closeDatabase)

const id = Type.Integer()
const name = Type.String({ minLength: 1, maxLength: 100 })
const text = Type.String({ minLength: 1, maxLength: 10_000 })
const email = Type.String({ format: 'email', maxLength: 254 })
const password = Type.String({ minLength: 8, maxLength: 1024 })
const role = Type.Union([Type.Literal('owner'), Type.Literal('member')])
const state = Type.Union([Type.Literal('open'), Type.Literal('closed')])

const user = { id, organisationId: id, email, role }
const signUps = resource(Type.Object({ organisation: name, email, password }), { response: Type.Object(user) })
const users = resource(Type.Object({ ...user, password }), {
  readOnly: ['id', 'organisationId'],
  writeOnly: ['password']
})
const projects = resource(Type.Object({ id, organisationId: id, name }), { readOnly: ['id', 'organisationId'] })
const issues = resource(Type.Object({ id, projectId: id, authorId: id, title: name, state }), {
  readOnly: ['id', 'projectId', 'authorId', 'state'],
  methods: { close: { route: 'POST /:id/close', event: 'patched', allow: ['member'] } }
})
const comments = resource(Type.Object({ id, issueId: id, authorId: id, text }), {
  readOnly: ['id', 'issueId', 'authorId']
})
const files = resource(Type.Object({ id, issueId: id, name }), {
  readOnly: ['id', 'issueId', 'name'],
  create: Type.Object({ file: Type.Unsafe<File>({ contentMediaType: 'application/octet-stream' }) })
})

declare module 'fastify-services' {
  interface Services {
    'sign-ups': ServiceOf<typeof signUps, 'create'>
    users: Paged<ServiceOf<typeof users>>
    projects: Paged<ServiceOf<typeof projects>>
    'projects/:projectId/issues': Paged<ServiceOf<typeof issues>>
    'projects/:projectId/issues/:issueId/comments': Paged<ServiceOf<typeof comments>>
    'projects/:projectId/issues/:issueId/files': Paged<ServiceOf<typeof files, 'find' | 'get' | 'create'>>
  }
  interface Identity {
    user: RecordOf<typeof users>
  }
}

await app.register(production, { isReady: () => db.execute(sql`select 1`) })
await app.register(multipart, { limits: { fileSize: 1_000_000 } })
await app.register(services, { errorHandler: { html: false }, hooks: { around: { all: [databaseErrors()] } } })
await app.register(authentication, {
  secret: process.env.AUTH_SECRET,
  guard: 'jwt',
  public: ['sign-ups.create'],
  strategies: { jwt: true, local: { usernameField: { name: 'email', normalize: 'lowercase' } } }
})

const inOrganisation = scope(({ params }) => ({ organisationId: params.user?.organisationId }))
const owners = allow({ owner: true, member: { find: true, get: true } })
const everyone = allow({ owner: true, member: { find: true, get: true, create: true, patch: true } })
const setAuthor = ({ data, params }: HookContext) => {
  data.authorId = params.user.id
}

const paginate = { default: 20, max: 100 }

const organisations = drizzle(db, tables.organisations)
app.service(
  'sign-ups',
  {
    async create({ organisation, ...user }: DataOf<typeof signUps>, { transaction }: Params) {
      const { id } = await organisations.create({ name: organisation }, { transaction })
      return app.service('users').create({ ...user, organisationId: id, role: 'owner' }, { transaction })
    }
  },
  { schema: signUps, hooks: { around: { all: [hashPassword('password'), inTransaction(db)] } } }
)

app.service('users', drizzle(db, tables.users, { paginate }), {
  schema: users,
  hooks: { around: { all: [owners, inOrganisation] } }
})
app.service('projects', drizzle(db, tables.projects, { paginate }), {
  schema: projects,
  hooks: { around: { all: [owners, inOrganisation] } }
})

class Issues extends DrizzleService<typeof tables.issues> {
  async close(id: Id, _data: unknown, params?: Params) {
    return this.patch(id, { state: 'closed' }, params)
  }
}
const ofProject = 'projects/:projectId/issues'
app.service(ofProject, new Issues(db, tables.issues, { paginate }), {
  schema: issues,
  hooks: { around: { all: [everyone, within('projects')] }, before: { create: [setAuthor] } }
})
app.service(`${ofProject}/:issueId/comments`, drizzle(db, tables.comments, { paginate }), {
  schema: comments,
  hooks: { around: { all: [everyone, within(ofProject)] }, before: { create: [setAuthor] } }
})

const stored = drizzle(db, tables.files, { paginate })
app.service(
  `${ofProject}/:issueId/files`,
  {
    find: (params) => stored.find(params),
    get: (id, params) => stored.get(id, params),
    create: async ({ file, issueId }: { file: File; issueId: number }, params) =>
      stored.create({ issueId, name: file.name, bytes: Buffer.from(await file.arrayBuffer()) }, params)
  },
  {
    schema: files,
    hooks: { around: { all: [everyone, within(ofProject)] } }
  }
)

await app.register(events, { services: { projects: true, [ofProject]: true } })

await app.listen({ port: Number(process.env.PORT ?? 3030), host: process.env.HOST ?? 'localhost' })
