import { createServer } from 'node:http'
import { OpenAPIHandler } from '@orpc/openapi/node'
import { EventPublisher, ORPCError, onError, os } from '@orpc/server'
import { BodyLimitPlugin } from '@orpc/server/node'
import { experimental_ZodSmartCoercionPlugin as ZodSmartCoercionPlugin } from '@orpc/zod/zod4'
import { toNodeHandler } from 'better-auth/node'
import { and, asc, desc, eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { z } from 'zod'
import { auth, createUser } from './auth.ts'
import { comments, database, files, issues, openDatabase, organisations, projects, user as users } from './database.ts'

interface User {
  id: string
  organisationId: number
  role: 'owner' | 'member'
}
type Above = { projectId?: number; issueId?: number; id?: unknown }

// What may be sent.
const name = z.string().min(1).max(100)
const text = z.string().min(1).max(10_000)
const email = z.email().max(254)
const password = z.string().min(8).max(1024)
const role = z.enum(['owner', 'member'])
const state = z.enum(['open', 'closed'])
const number = z.number().int()
const page = {
  limit: number.min(1).max(100).default(20),
  offset: number.min(0).default(0),
  sort: z.enum(['id', '-id']).default('id')
}

// Sign-up. The log-in is Better Auth's.
const base = os.$context<{ headers: Headers }>()
const conflict = () => new ORPCError('CONFLICT', { message: 'There is a user with this address' })
const signUp = base
  .route({ method: 'POST', path: '/sign-ups', successStatus: 201 })
  .input(z.strictObject({ organisation: name, email, password }))
  .handler(async ({ input: { organisation, ...account } }) => {
    const [{ id }] = await database.insert(organisations).values({ name: organisation }).returning()
    // Better Auth writes the user by itself, in no transaction of ours.
    const forget = () => database.delete(organisations).where(eq(organisations.id, id))
    const user = await createUser({ ...account, role: 'owner' }, id).catch(async (error) => {
      await forget()
      throw error
    })
    if (user !== undefined) return user
    await forget()
    throw conflict()
  })

// Who may do what.
const authorized = base.use(async ({ context, next }) => {
  const session = await auth.api.getSession({ headers: context.headers })
  if (session === null) throw new ORPCError('UNAUTHORIZED', { message: 'Not authenticated' })
  return next({ context: { user: session.user as unknown as User } })
})
const allow = (action: string, ofMembers: readonly string[]) =>
  authorized.use(({ context, next }) => {
    if (context.user.role === 'member' && !ofMembers.includes(action))
      throw new ORPCError('FORBIDDEN', { message: `${action} is not for the role member` })
    return next()
  })
const owners = ['find', 'get', 'listen']
const everyone = [...owners, 'create', 'patch', 'close']

// Who looks at a list hears of what changes in it.
const changes = new EventPublisher<Record<string, { event: string; id: unknown }>>()

interface Collection {
  table: PgTable & { id: PgColumn }
  /** The columns that leave. */
  columns: Record<string, PgColumn>
  /** The actions of members. */
  members: readonly string[]
  above?: z.ZodRawShape
  create?: z.ZodRawShape
  patch?: z.ZodRawShape
  filters?: z.ZodRawShape
  /** The records that the caller sees. Throws where the record above is not one of them. */
  scope: (user: User, above: Above) => SQL | Promise<SQL>
  /** What a client does not send of a new record. */
  defaults?: (user: User, above: Above) => object
}

const notFound = (id: unknown) => new ORPCError('NOT_FOUND', { message: `No record found for id '${id}'` })

/** The procedures of a table. */
function collection(path: `/${string}`, options: Collection) {
  const { table, columns, members, above = {}, create = {}, patch = {}, filters = {}, scope, defaults } = options
  const topic = (input: Above) => path.replace(/\{(\w+)\}/g, (_, key: keyof Above) => String(input[key]))
  const id = table.id.dataType === 'number' ? number : z.string()
  const split = (input: object): [Above, Record<string, unknown>] => {
    const entries = Object.entries(input)
    const ofPath = entries.filter(([key]) => key in above)
    return [Object.fromEntries(ofPath), Object.fromEntries(entries.filter(([key]) => !(key in above)))]
  }
  const where = async (user: User, input: Above) => and(eq(table.id, input.id), await scope(user, input))
  const change = async (user: User, input: Above, values: object) => {
    const [record] = await database
      .update(table)
      .set(values)
      .where(await where(user, input))
      .returning(columns)
    if (record === undefined) throw notFound(input.id)
    changes.publish(topic(input), { event: 'patched', id: record.id })
    return record
  }
  const procedures = {
    find: allow('find', members)
      .route({ method: 'GET', path })
      .input(z.strictObject({ ...above, ...z.object(filters).partial().shape, ...page }))
      .handler(async ({ input, context: { user } }) => {
        const [route, query] = split(input)
        const { limit, offset, sort, ...filter } = query as { limit: number; offset: number; sort: string }
        const entries = Object.entries(filter).filter(([, value]) => value !== undefined)
        const equal = entries.map(([key, value]) => eq(columns[key], value))
        const where = and(await scope(user, route), ...equal)
        const order = sort === 'id' ? asc(table.id) : desc(table.id)
        const data = await database.select(columns).from(table).where(where).orderBy(order).limit(limit).offset(offset)
        return { total: await database.$count(table, where), limit, offset, data }
      }),
    listen: allow('listen', members)
      .route({ method: 'GET', path: `${path}/events` })
      .input(z.strictObject(above))
      .handler(async function* ({ input, context: { user }, signal }) {
        await scope(user, input)
        yield* changes.subscribe(topic(input), { signal })
      }),
    get: allow('get', members)
      .route({ method: 'GET', path: `${path}/{id}` })
      .input(z.strictObject({ ...above, id }))
      .handler(async ({ input, context: { user } }) => {
        const [record] = await database
          .select(columns)
          .from(table)
          .where(await where(user, input))
        if (record === undefined) throw notFound(input.id)
        return record
      }),
    create: allow('create', members)
      .route({ method: 'POST', path, successStatus: 201 })
      .input(z.strictObject({ ...above, ...create }))
      .handler(async ({ input, context: { user } }) => {
        const [route, data] = split(input)
        await scope(user, route)
        const [record] = await database
          .insert(table)
          .values({ ...data, ...defaults?.(user, route) })
          .returning(columns)
        changes.publish(topic(route), { event: 'created', id: record.id })
        return record
      }),
    patch: allow('patch', members)
      .route({ method: 'PATCH', path: `${path}/{id}` })
      .input(z.strictObject({ ...above, ...z.object(patch).partial().shape, id }))
      .handler(({ input, context: { user } }) => {
        const [route, { id, ...data }] = split(input)
        return change(user, { ...route, id }, data)
      }),
    remove: allow('remove', members)
      .route({ method: 'DELETE', path: `${path}/{id}` })
      .input(z.strictObject({ ...above, id }))
      .handler(async ({ input, context: { user } }) => {
        const [record] = await database
          .delete(table)
          .where(await where(user, input))
          .returning(columns)
        if (record === undefined) throw notFound(input.id)
        changes.publish(topic(input), { event: 'removed', id: record.id })
        return record
      })
  }
  return { procedures, change, topic }
}

// The records.
const inOrganisation = (table: { organisationId: PgColumn }) => (user: User) =>
  eq(table.organisationId, user.organisationId)
async function inProject(user: User, { projectId }: Above) {
  const where = and(eq(projects.id, Number(projectId)), inOrganisation(projects)(user))
  if ((await database.$count(projects, where)) === 0) throw notFound(projectId)
  return eq(issues.projectId, Number(projectId))
}
const inIssue = (table: { issueId: PgColumn }) => async (user: User, above: Above) => {
  const where = and(eq(issues.id, Number(above.issueId)), await inProject(user, above))
  if ((await database.$count(issues, where)) === 0) throw notFound(above.issueId)
  return eq(table.issueId, above.issueId)
}

const { id: userId, organisationId, email: address, role: userRole } = users
const ofUsers = collection('/users', {
  table: users,
  columns: { id: userId, organisationId, email: address, role: userRole },
  members: owners,
  patch: { email, role },
  filters: { email, role },
  scope: inOrganisation(users)
})
const createMember = allow('create', owners)
  .route({ method: 'POST', path: '/users', successStatus: 201 })
  .input(z.strictObject({ email, password, role }))
  .handler(async ({ input, context }) => {
    const user = await createUser(input, context.user.organisationId)
    if (user === undefined) throw conflict()
    return user
  })
const ofProjects = collection('/projects', {
  table: projects,
  columns: getTableColumns(projects),
  members: owners,
  create: { name },
  patch: { name },
  filters: { name },
  scope: inOrganisation(projects),
  defaults: ({ organisationId }) => ({ organisationId })
})
const ofIssues = collection('/projects/{projectId}/issues', {
  table: issues,
  columns: getTableColumns(issues),
  members: everyone,
  above: { projectId: number },
  create: { title: name },
  patch: { title: name },
  filters: { authorId: z.string(), title: name, state },
  scope: inProject,
  defaults: ({ id }, { projectId }) => ({ projectId, authorId: id })
})
const close = allow('close', everyone)
  .route({ method: 'POST', path: '/projects/{projectId}/issues/{id}/close' })
  .input(z.strictObject({ projectId: number, id: number }))
  .handler(({ input, context: { user } }) => ofIssues.change(user, input, { state: 'closed' }))
const ofIssue = { projectId: number, issueId: number }
const ofComments = collection('/projects/{projectId}/issues/{issueId}/comments', {
  table: comments,
  columns: getTableColumns(comments),
  members: everyone,
  above: ofIssue,
  create: { text },
  patch: { text },
  filters: { authorId: z.string() },
  scope: inIssue(comments),
  defaults: ({ id }, { issueId }) => ({ issueId, authorId: id })
})
const { bytes: _, ...shownOfFiles } = getTableColumns(files)
const ofFiles = collection('/projects/{projectId}/issues/{issueId}/files', {
  table: files,
  columns: shownOfFiles,
  members: everyone,
  above: ofIssue,
  filters: { name },
  scope: inIssue(files)
})
const upload = allow('create', everyone)
  .route({ method: 'POST', path: '/projects/{projectId}/issues/{issueId}/files', successStatus: 201 })
  .input(z.strictObject({ ...ofIssue, file: z.file() }))
  .handler(async ({ input: { file, ...above }, context: { user } }) => {
    await inIssue(files)(user, above)
    const values = { issueId: above.issueId, name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
    const [record] = await database.insert(files).values(values).returning(shownOfFiles)
    changes.publish(ofFiles.topic(above), { event: 'created', id: record.id })
    return record
  })

const { find, get, listen } = ofFiles.procedures
const router = {
  signUp,
  users: { ...ofUsers.procedures, create: createMember },
  projects: ofProjects.procedures,
  issues: { ...ofIssues.procedures, close },
  comments: ofComments.procedures,
  files: { find, get, listen, create: upload }
}
const handler = new OpenAPIHandler(router, {
  plugins: [new ZodSmartCoercionPlugin(), new BodyLimitPlugin({ maxBodySize: 1_000_000 })],
  interceptors: [
    onError((error) => {
      if (!(error instanceof ORPCError)) console.error(error)
    })
  ]
})
const handleAuth = toNodeHandler(auth)

await openDatabase()
const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/api/auth/')) return handleAuth(request, response)
  const { matched } = await handler.handle(request, response, {
    context: { headers: new Headers(request.headers as Record<string, string>) }
  })
  if (!matched) response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not found"}')
}).listen(Number(process.env.PORT ?? 3030))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit()))
