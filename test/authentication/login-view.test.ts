import '../support/auth-scrypt.js'
import Fastify from 'fastify'
import services, {
  Forbidden,
  type HookContext,
  type HookOptions,
  resource,
  type ServiceOptions
} from 'fastify-services'
import authentication, { type AuthenticationOptions, allow } from 'fastify-services/authentication'
import { memory } from 'fastify-services/memory'
import t, { type Test } from 'tap'
import * as z from 'zod'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

const record = z.object({ id: z.int(), email: z.string(), password: z.string(), pin: z.string() })
const flags = { readOnly: ['id'], writeOnly: ['password', 'pin'] } as const
const users = resource(record, flags)
const shownSchema = { type: 'object', properties: { id: { type: 'integer' }, email: { type: 'string' } } }
const shown = { id: 1, email: user.email }
// `internal` stands for a column that the schema does not have.
const stored = { ...user, pin: '1234', internal: 'x' }

interface Options extends Omit<Partial<AuthenticationOptions>, 'schema'> {
  schema?: unknown
  userHooks?: HookOptions
  serializer?: boolean
}

async function createApp(t: Test, { schema, userHooks, serializer, ...options }: Options) {
  const app = Fastify()
  t.teardown(() => app.close())
  if (serializer)
    app.setSerializerCompiler(
      ({ schema }) =>
        (data) =>
          JSON.stringify(data, ['id', 'email', ...Object.keys(Object(schema))])
    )
  await app.register(services)
  await app.register(authentication, { secret, guard: 'jwt', ...options })
  app.service('notes', memory())
  app.service('users', memory(), { schema, hooks: userHooks } as ServiceOptions<object>)
  await app.ready()
  await app.service('users').create(stored)
  return app
}

const remove = { method: 'DELETE', url: '/authentication' } as const

t.test('a login, a renewal and a logout answer the user as `GET /users/<id>` does', async (t) => {
  const lower = async (context: HookContext) => {
    context.dispatch = { ...Object(context.result), email: 'dispatched' }
  }
  const withToJson = async (context: HookContext) => {
    const { result, params } = context
    if (params.provider) context.result = { toJSON: () => result }
  }
  const rows: Record<string, Options> = {
    'hidden fields and unknown columns': { schema: users },
    'another response': { schema: resource(record, { ...flags, response: z.object({ email: z.string() }) }) },
    'a plain JSON Schema': { schema: { get: { response: { '2xx': shownSchema } } } },
    'a schema by content type': {
      schema: { get: { response: { 200: { content: { 'application/json': { schema: shownSchema } } } } } }
    },
    'a schema of failures only': { schema: { get: { response: { 404: shownSchema } } } },
    'a serializer of the application': { schema: { get: { response: { 200: { pin: true } } } }, serializer: true },
    'that serializer and a resource': { schema: users, serializer: true },
    'a hook that replaces the answer': { schema: users, userHooks: { after: { get: [lower] } } },
    'a record with a `toJSON`': { schema: users, userHooks: { after: { get: [withToJson] } } },
    'no schema': {}
  }
  for (const [title, options] of Object.entries(rows)) {
    const app = await createApp(t, { ...options, refresh: true })
    const { status, body } = await login(app)
    t.equal(status, 201, title)
    const { body: got } = await ask(app, body.accessToken, '/users/1')
    t.strictSame(body.user, got, title)
    if (Object.hasOwn(options, 'schema') && !title.includes('failures') && !options.serializer)
      t.notMatch(JSON.stringify(body.user), /1234|internal/, title)
    const renewed = await login(app, { strategy: 'refresh', refreshToken: body.refreshToken })
    t.strictSame(renewed.body.user, got, title)
    t.strictSame((await ask(app, body.accessToken, remove)).body.user, got, title)
  }
})

t.test('also with a cookie, and if clients may not `get` users', async (t) => {
  const closed = resource(record, { ...flags, methods: { get: false } })
  const app = await createApp(t, { schema: closed, cookie: true })
  const response = await app.inject({
    method: 'POST',
    url: '/authentication',
    payload: { strategy: 'local', ...user },
    headers: { 'sec-fetch-site': 'same-origin' }
  })
  t.strictSame(response.json().user, shown)
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string
  const ended = await app.inject({ ...remove, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  t.strictSame(ended.json().user, shown)
})

t.test('`allow` on the users refuses no login: a user who may not `get` themselves gets their id', async (t) => {
  const roles = allow({ admin: true, member: { get: ['email'] }, clerk: { find: true } })
  const refused = "'get' of 'users' is not for a user with the role 'kiosk': it needs admin or member"
  const rows: [role: string | string[] | undefined, answer: object, message?: string][] = [
    ['kiosk', { id: 1 }, refused],
    [['kiosk', 'cook'], { id: 1 }, refused.replace("role 'kiosk'", "roles 'kiosk', 'cook'")],
    [undefined, { id: 1 }, refused.replace("with the role 'kiosk'", 'without a role')],
    ['clerk', { id: 1 }, refused.replace('kiosk', 'clerk')],
    ['member', { email: user.email }],
    ['admin', shown]
  ]
  for (const [role, answer, message] of rows) {
    const app = await createApp(t, { schema: users, userHooks: { around: { all: [roles] } } })
    await app.service('users').patch(1, { role })
    const { status, body } = await login(app)
    t.strictSame({ status, user: body.user }, { status: 201, user: answer }, String(role))
    t.match((await ask(app, body.accessToken, '/users/1')).body, message ? { code: 403, message } : answer)
    t.strictSame((await ask(app, body.accessToken, remove)).body.user, answer)
  }
})

t.test(
  'listeners of `login` and `logout` get the same user; the server itself gets all but the password',
  async (t) => {
    const app = await createApp(t, { schema: users })
    const service = app.service('authentication')
    const heard: unknown[] = []
    for (const event of ['login', 'logout']) service.on(event, (result) => heard.push(Object(result).user))
    const { body } = await login(app)
    await ask(app, body.accessToken, remove)
    t.strictSame(heard, [shown, shown])
    const { password, ...all } = stored
    t.match(await service.create({ strategy: 'local', ...user }), { user: { ...all, id: 1 } })
  }
)

t.test('without a resource, the error of a user who can not log in is that of their hook', async (t) => {
  const lock = async ({ params }: HookContext) => {
    if (params.provider) throw new Forbidden('Locked', { until: 'noon' })
  }
  const schema = { get: { response: { 200: shownSchema } } }
  const app = await createApp(t, { schema, userHooks: { before: { get: [lock] } } })
  t.match(await login(app), { status: 403, body: { message: 'Locked', data: { until: 'noon' } } })
})

t.test('the error of a user who can not log in has no hidden fields, nor has that of a guard', async (t) => {
  for (const provider of ['rest', undefined]) {
    let isLocked = false
    const lock = async ({ params }: HookContext) => {
      if (isLocked && params.provider === provider) throw new Forbidden('Locked', { pin: '1234', until: 'noon' })
    }
    const app = await createApp(t, { schema: users, userHooks: { before: { get: [lock] } } })
    const { body } = await login(app)
    isLocked = true
    const locked = { message: 'Locked', data: { until: 'noon' } }
    const ended = await ask(app, body.accessToken, remove)
    const answers = [ended, provider ? await login(app) : await ask(app, body.accessToken, '/notes')]
    for (const { body } of answers) {
      t.match(body, locked, String(provider))
      t.notMatch(JSON.stringify(body), /1234/)
    }
  }
})
