import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationService, authenticate, hashPassword } from 'fastify-services/authentication'

interface User {
  id: number
  email: string
}

// The application says what a user is.
declare module 'fastify' {
  interface FastifyRequest {
    user: User
  }
}

const users: (User & { password: string })[] = []
const app = Fastify()
await app.register(services)
await app.register(authentication, { secret: 's'.repeat(32) })
const registered = app.service(
  'users',
  {
    find: async () => users,
    get: async (id: string) => users[Number(id)] ?? null,
    create: async (data: { email: string; password: string }) => {
      users.push({ ...data, id: users.length })
      return users.at(-1)
    }
  },
  { hooks: { before: { create: [hashPassword('password')] } } }
)
app.get('/me', { preHandler: authenticate('jwt') }, ({ user }) => user.email.toUpperCase())

const credentials = { email: 'ada@example.com', password: 'a long secret' }
await registered.create(credentials)
const { accessToken } = await app
  .service<AuthenticationService>('authentication')
  .create({ strategy: 'local', ...credentials })
const { body } = await app.inject({ url: '/me', headers: { authorization: `Bearer ${accessToken}` } })
console.log(JSON.stringify([body, users[0]?.password.slice(0, 8)]))
await app.close()
