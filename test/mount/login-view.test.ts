import '../support/auth-scrypt.js'
import { type HookContext as FeathersContext, feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type AroundHook } from 'fastify-services'
import authentication, { allow } from 'fastify-services/authentication'
import mount from 'fastify-services/feathers'
import t from 'tap'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

interface Case {
  /** A hook of all services. */
  common?: AroundHook
  /** A hook after `get` of the Feathers application. */
  theirs?: (context: FeathersContext) => Promise<void>
  methods?: string[]
  answer: object
}

const all = { id: 1, email: user.email, role: 'kiosk' }
const rows: Record<string, Case> = {
  'without hooks': { answer: all },
  '`allow` of all services that gives a field': {
    common: allow({ kiosk: { get: ['email'] } }),
    answer: { email: user.email }
  },
  '`allow` of all services that gives nothing': { common: allow({ admin: true }), answer: { id: 1 } },
  'a `dispatch` of all services': {
    common: async (context, next) => {
      await next()
      if (context.path === 'users') context.dispatch = { ours: true }
    },
    answer: { ours: true }
  },
  'a `dispatch` of the application, which knows the user': {
    theirs: async (context) => {
      if (context.params.provider) context.dispatch = { seenBy: Object(context.params.user).email }
    },
    answer: { seenBy: user.email }
  },
  'a `get` that clients may not call': { methods: ['find', 'create'], answer: all }
}

for (const [title, { common, theirs: hook, methods, answer }] of Object.entries(rows))
  t.test(`a login and a logout answer a user of a mounted service as clients see it: ${title}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    const theirs = feathers()
    theirs.use('users', memory({ startId: 1 }) as object, { ...(methods && { methods }) } as object)
    if (hook) theirs.service('users').hooks({ after: { get: [hook] } } as object)
    await app.register(services, {
      errorHandler: { html: false },
      ...(common && { hooks: { around: { all: [common] } } })
    })
    await app.register(authentication, { secret, guard: 'jwt' })
    await app.register(mount, { app: theirs })
    await app.ready()
    await theirs.service('users').create({ ...user, password: toHash(user.password), role: 'kiosk' })
    const { status, body } = await login(app)
    t.strictSame([status, body.user], [201, answer])
    t.strictSame((await ask(app, body.accessToken, { method: 'DELETE', url: '/authentication' })).body.user, answer)
  })
