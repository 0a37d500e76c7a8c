import Fastify from 'fastify'
import services, { type HookContext, type Params } from 'fastify-services'
import authentication, { type AuthenticationService, allow, authenticate, scope } from 'fastify-services/authentication'
import { createClient, authentication as login, rest } from 'fastify-services/client'
import events from 'fastify-services/events'
import { same, untyped } from '../programs/same.js'

export interface User {
  id: number
  email: string
  since: Date
}

// The one place that says what a user is.
declare module 'fastify-services' {
  interface Identity {
    user: User
    device: { serial: string }
  }
}

class Reports {
  async find(params: Params) {
    same<typeof params.user, User | undefined>(true)
    return [params.user?.email ?? params.device?.serial]
  }
}

const app = Fastify()
await app.register(services, {
  // A hook that stands under no service has the types of Feathers.
  hooks: { before: { all: ({ params }) => untyped<typeof params.user>(true) } }
})
await app.register(authentication, { secret: 's'.repeat(32) })
app.service('reports', new Reports(), {
  hooks: {
    around: { all: [authenticate('jwt')] },
    before: { find: ({ params }) => same<typeof params.user, User | undefined>(true) }
  }
})
app.service('inline', { find: async ({ user }) => user?.since.getTime() })
app.get('/me', { preHandler: authenticate('jwt') }, ({ user, device }) => {
  same<typeof device, { serial: string } | undefined>(true)
  return user?.email
})
const { user } = await app.service<AuthenticationService>('authentication').create({ strategy: 'local' })
same<typeof user, User | undefined>(true)

// Permissions read the user, whose fields are known.
scope(({ params, method }) => ({ userId: params.user?.id, email: method === 'find' ? params.user?.email : undefined }))
scope(({ params }) => ({ serial: params.device?.serial, other: params.other }), { except: ['find'] })
scope((context: HookContext) => ({ userId: context.params.user.id }))
// @ts-expect-error: a field that is misspelt
scope(({ params }) => ({ userId: params.user?.ident }))
// @ts-expect-error: nobody may be logged in
scope(({ params }) => ({ userId: params.user.id }))
allow({ admin: true }, { role: ({ email }) => (email.endsWith('@example.com') ? 'admin' : 'member') })
// @ts-expect-error: a field that is misspelt
allow({ admin: true }, { role: ({ rank }) => rank })

// For the rule of events, with the params of who would hear.
await app.register(events, {
  services: { reports: true },
  publish: (_event, { params }) => {
    same<typeof params.user, User | undefined>(true)
    return params.user?.email === 'ada@example.com'
  }
})

// On the client, as it comes through JSON.
const client = createClient<{ reports: Reports }>().configure(rest('http://localhost').fetch(fetch)).configure(login())
type Received = { id: number; email: string; since: string }
const result = await client.authenticate({ strategy: 'local' })
same<typeof result.user, Received | undefined>(true)
const stored = await client.get('authentication')
same<NonNullable<typeof stored>['user'], Received | undefined>(true)
for (const event of ['login', 'authenticated'] as const)
  client.on(event, (result) => same<typeof result.user, Received | undefined>(true))
client.once('logout', (result) => same<NonNullable<typeof result>['user'], Received | undefined>(true))
// @ts-expect-error: it is null where the token is not renewed
client.on('logout', (result) => result.user)
client.on('login', ({ user }: { user?: Received }) => user?.email)
client.on('other', (...args) => same<typeof args, unknown[]>(true))
