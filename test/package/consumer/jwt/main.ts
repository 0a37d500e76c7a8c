import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  type AuthenticationService,
  authenticate,
  type Strategy
} from 'fastify-services/authentication'

// What @fastify/jwt says of `request.user` stands.
declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { tenant: string }
    user: { tenant: string }
  }
}

const key: Strategy = { authenticate: async () => ({ authentication: { payload: { sub: 'printer' } } }) }
const options: AuthenticationOptions = { secret: 's'.repeat(32), entity: null, strategies: { jwt: true, key } }

const app = Fastify()
await app.register(fastifyJwt, { secret: 'of the application' })
await app.register(services)
await app.register(authentication, options)
app.service(
  'me',
  { find: async ({ authenticated }) => ({ authenticated }) },
  { hooks: { around: [authenticate('jwt')] } }
)
app.get('/tenant', { preHandler: (request) => request.jwtVerify() }, (request) => {
  // @ts-expect-error: the user of @fastify/jwt has no name
  request.user.name
  return request.user.tenant
})

const headers = { authorization: `Bearer ${app.jwt.sign({ tenant: 'acme' })}` }
const { accessToken } = await app.service<AuthenticationService>('authentication').create({ strategy: 'key' })
const own = await app.inject({ url: '/tenant', headers })
const ours = await app.inject({ url: '/me', headers: { authorization: accessToken } })
const theirs = await app.inject({ url: '/me', headers })
console.log(JSON.stringify([own.body, ours.json(), theirs.statusCode]))
await app.close()
