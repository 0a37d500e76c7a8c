import { EventEmitter, on } from 'node:events'
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { and, asc, desc, eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { auth, createUser } from './auth.ts'
import { comments, database, files, issues, openDatabase, organisations, projects, user as users } from './database.ts'

interface User {
  id: string
  organisationId: number
  role: 'owner' | 'member'
}
type Env = { Variables: { user: User; where: SQL | undefined } }
const app = new Hono<Env>()

// What may be sent.
const name = z.string().min(1).max(100)
const text = z.string().min(1).max(10_000)
const email = z.email().max(254)
const password = z.string().min(8).max(1024)
const role = z.enum(['owner', 'member'])
const state = z.enum(['open', 'closed'])
const page = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
  sort: z.enum(['id', '-id']).default('id')
}

// Sign-up and log-in.
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))
app.post('/sign-ups', zValidator('json', z.strictObject({ organisation: name, email, password })), async (c) => {
  const { organisation, ...account } = c.req.valid('json')
  const [{ id }] = await database.insert(organisations).values({ name: organisation }).returning()
  // Better Auth writes the user by itself, in no transaction of ours.
  const forget = () => database.delete(organisations).where(eq(organisations.id, id))
  const user = await createUser({ ...account, role: 'owner' }, id).catch(async (error) => {
    await forget()
    throw error
  })
  if (user !== undefined) return c.json(user, 201)
  await forget()
  throw new HTTPException(409, { message: 'There is a user with this address' })
})

// Who may do what.
app.use(async (c, next) => {
  const session = await auth.api.getSession({ headers: c.req.raw.headers })
  if (session === null) throw new HTTPException(401, { message: 'Not authenticated' })
  c.set('user', session.user as unknown as User)
  await next()
})
const allow =
  (...ofMembers: string[]): MiddlewareHandler<Env> =>
  async (c, next) => {
    const action = c.req.path.endsWith('/close') ? 'close' : c.req.method
    if (c.var.user.role === 'member' && !ofMembers.includes(action))
      throw new HTTPException(403, { message: `${action} is not for the role member` })
    await next()
  }
const owners = allow('GET')
const everyone = allow('GET', 'POST', 'PATCH', 'close')

// Who looks at a list hears of what changes in it.
const changes = new EventEmitter().setMaxListeners(0)
const listen: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.header('accept') !== 'text/event-stream') return next()
  return streamSSE(c, async (stream) => {
    const ended = new AbortController()
    stream.onAbort(() => ended.abort())
    await stream.writeSSE({ event: 'connected', data: '' })
    const heartbeat = setInterval(() => stream.writeSSE({ event: 'heartbeat', data: '' }), 15_000)
    try {
      for await (const [change] of on(changes, c.req.path, { signal: ended.signal }))
        await stream.writeSSE({ data: JSON.stringify(change) })
    } catch (error) {
      if (!ended.signal.aborted) throw error
    } finally {
      clearInterval(heartbeat)
    }
  })
}

interface Collection {
  table: PgTable & { id: PgColumn }
  /** The columns that leave. */
  columns: Record<string, PgColumn>
  create?: z.ZodType
  patch?: z.ZodType
  filters?: z.ZodRawShape
  /** The records that the caller sees. Throws where the record above is not one of them. */
  scope: (c: Context<Env>) => SQL | Promise<SQL>
  /** What a client does not send of a new record. */
  defaults?: (c: Context<Env>) => object
}

const notFound = (id: unknown) => new HTTPException(404, { message: `No record found for id '${id}'` })

/** The routes of a table. */
function collection(
  guard: MiddlewareHandler<Env>,
  { table, columns, create, patch, filters = {}, scope, defaults }: Collection
) {
  const routes = new Hono<Env>()
  const find = (c: Context<Env>) => {
    const id = c.req.param('id')
    const value = table.id.dataType === 'number' ? Number(id) : id
    if (Number.isNaN(value)) throw notFound(id)
    return and(eq(table.id, value), c.var.where)
  }
  const tell = (c: Context<Env>, event: string, id: unknown) => {
    const list = event === 'created' ? c.req.path : c.req.path.replace(/\/[^/]+(\/close)?$/, '')
    changes.emit(list, { event, id })
  }
  routes.use(guard, async (c, next) => {
    c.set('where', await scope(c))
    await next()
  })
  routes.get(
    '/',
    listen,
    zValidator('query', z.strictObject({ ...z.object(filters).partial().shape, ...page })),
    async (c) => {
      const { limit, offset, sort, ...filter } = c.req.valid('query') as { limit: number; offset: number; sort: string }
      const equal = Object.entries(filter).map(([key, value]) => eq(columns[key] as PgColumn, value))
      const where = and(c.var.where, ...equal)
      const order = sort === 'id' ? asc(table.id) : desc(table.id)
      const data = await database.select(columns).from(table).where(where).orderBy(order).limit(limit).offset(offset)
      return c.json({ total: await database.$count(table, where), limit, offset, data })
    }
  )
  routes.get('/:id', async (c) => {
    const [record] = await database.select(columns).from(table).where(find(c))
    if (record === undefined) throw notFound(c.req.param('id'))
    return c.json(record)
  })
  if (create !== undefined)
    routes.post('/', zValidator('json', create), async (c) => {
      const values = { ...(c.req.valid('json') as object), ...defaults?.(c) }
      const [record] = await database.insert(table).values(values).returning(columns)
      tell(c, 'created', record?.id)
      return c.json(record, 201)
    })
  const change = async (c: Context<Env>, values: object) => {
    const [record] = await database.update(table).set(values).where(find(c)).returning(columns)
    if (record === undefined) throw notFound(c.req.param('id'))
    tell(c, 'patched', record.id)
    return c.json(record)
  }
  if (patch !== undefined) {
    routes.patch('/:id', zValidator('json', patch), (c) => change(c, c.req.valid('json') as object))
    routes.delete('/:id', async (c) => {
      const [record] = await database.delete(table).where(find(c)).returning(columns)
      if (record === undefined) throw notFound(c.req.param('id'))
      tell(c, 'removed', record.id)
      return c.json(record)
    })
  }
  return { routes, change, tell }
}

// The records.
const inOrganisation = (table: { organisationId: PgColumn }) => (c: Context<Env>) =>
  eq(table.organisationId, c.var.user.organisationId)
async function findProject(c: Context<Env>) {
  const projectId = Number(c.req.param('projectId'))
  if (Number.isNaN(projectId)) throw notFound(c.req.param('projectId'))
  const where = and(eq(projects.id, projectId), inOrganisation(projects)(c))
  if ((await database.$count(projects, where)) === 0) throw notFound(projectId)
  return projectId
}
async function findIssue(c: Context<Env>) {
  const issueId = Number(c.req.param('issueId'))
  if (Number.isNaN(issueId)) throw notFound(c.req.param('issueId'))
  const where = and(eq(issues.id, issueId), eq(issues.projectId, await findProject(c)))
  if ((await database.$count(issues, where)) === 0) throw notFound(issueId)
  return issueId
}
const projectId = (c: Context<Env>) => Number(c.req.param('projectId'))
const issueId = (c: Context<Env>) => Number(c.req.param('issueId'))

const { id: userId, organisationId, email: address, role: userRole } = users
const ofUsers = collection(owners, {
  table: users,
  columns: { id: userId, organisationId, email: address, role: userRole },
  patch: z.strictObject({ email, role }).partial(),
  filters: { email, role },
  scope: inOrganisation(users)
})
ofUsers.routes.post('/', zValidator('json', z.strictObject({ email, password, role })), async (c) => {
  const user = await createUser(c.req.valid('json'), c.var.user.organisationId)
  if (user === undefined) throw new HTTPException(409, { message: 'There is a user with this address' })
  return c.json(user, 201)
})
const ofProjects = collection(owners, {
  table: projects,
  columns: getTableColumns(projects),
  create: z.strictObject({ name }),
  patch: z.strictObject({ name }).partial(),
  filters: { name },
  scope: inOrganisation(projects),
  defaults: (c) => ({ organisationId: c.var.user.organisationId })
})
const ofIssues = collection(everyone, {
  table: issues,
  columns: getTableColumns(issues),
  create: z.strictObject({ title: name }),
  patch: z.strictObject({ title: name }).partial(),
  filters: { authorId: z.string(), title: name, state },
  scope: async (c) => eq(issues.projectId, await findProject(c)),
  defaults: (c) => ({ projectId: projectId(c), authorId: c.var.user.id })
})
ofIssues.routes.post('/:id/close', (c) => ofIssues.change(c, { state: 'closed' }))
const ofComments = collection(everyone, {
  table: comments,
  columns: getTableColumns(comments),
  create: z.strictObject({ text }),
  patch: z.strictObject({ text }).partial(),
  filters: { authorId: z.string() },
  scope: async (c) => eq(comments.issueId, await findIssue(c)),
  defaults: (c) => ({ issueId: issueId(c), authorId: c.var.user.id })
})
const { bytes: _, ...shownOfFiles } = getTableColumns(files)
const ofFiles = collection(everyone, {
  table: files,
  columns: shownOfFiles,
  filters: { name },
  scope: async (c) => eq(files.issueId, await findIssue(c))
})
ofFiles.routes.post(
  '/',
  bodyLimit({ maxSize: 1_000_000 }),
  zValidator('form', z.strictObject({ file: z.file() })),
  async (c) => {
    const { file } = c.req.valid('form')
    const values = { issueId: issueId(c), name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
    const [record] = await database.insert(files).values(values).returning(shownOfFiles)
    ofFiles.tell(c, 'created', record?.id)
    return c.json(record, 201)
  }
)

app.route('/users', ofUsers.routes)
app.route('/projects/:projectId/issues/:issueId/comments', ofComments.routes)
app.route('/projects/:projectId/issues/:issueId/files', ofFiles.routes)
app.route('/projects/:projectId/issues', ofIssues.routes)
app.route('/projects', ofProjects.routes)

app.onError((error, c) => {
  if (error instanceof HTTPException) return c.json({ message: error.message }, error.status)
  console.error(error)
  return c.json({ message: 'Internal error' }, 500)
})

await openDatabase()
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3030) })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit()))
