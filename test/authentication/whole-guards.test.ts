import Fastify, { type FastifyInstance } from 'fastify'
import plugin from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate, JwtStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { traitsOf } from '../../lib/core/hooks.js'
import { apiKey, createPeople } from '../support/auth-guards.js'
import { isKept } from '../support/kept.js'
import { secret } from '../support/tokens.js'
import { byOutcome } from './outcomes.js'

const given: Record<string, unknown[]> = {
  none: [],
  'an empty text': [''],
  undefined: [undefined],
  null: [null],
  'a number': [5],
  'a list': [['jwt']],
  'a function': [Math.max],
  'a second that is empty': ['jwt', ''],
  'a second that is a number': ['jwt', 5],
  one: ['jwt'],
  two: ['jwt', 'local'],
  'no strategies': [{}],
  'null strategies': [{ strategies: null }],
  'an empty list in options': [{ strategies: [] }],
  'a text in options': [{ strategies: 'jwt' }],
  'an empty name in options': [{ strategies: ['jwt', ''] }],
  options: [{ strategies: ['jwt'] }],
  'a service': [{ service: 'a', strategies: ['jwt'] }]
}
const describeCookie = () => ({ security: { type: 'apiKey', in: 'cookie', name: 'sid' } })
const described = {
  cookie: { ...apiKey, describe: describeCookie },
  mute: { ...apiKey, describe: () => ({}) },
  unread: { authenticate: apiKey.authenticate, describe: describeCookie },
  proxy: new JwtStrategy({ header: 'X-Token' }),
  bearer: { ...apiKey, describe: () => ({ security: { type: 'http', scheme: 'bearer' } }) }
}
const register = async (app: FastifyInstance, options: object = {}) =>
  app.register(authentication, { secret, ...options } as AuthenticationOptions)

/** Applications without, with one and with several authentications, by name. */
async function createApps(t: Test) {
  const apps: Record<string, FastifyInstance> = {}
  for (const name of ['bare', 'none', 'one', 'two']) {
    const app = Fastify()
    apps[name] = app
    t.teardown(() => app.close())
    if (name === 'bare') continue
    await app.register(plugin)
    app.service('users', createPeople())
    if (name === 'one') await register(app, { strategies: { jwt: true, local: true, apiKey, ...described } })
    if (name === 'two')
      for (const path of ['v1', 'v2'])
        await app.register(
          async (child) => {
            await register(child, { strategies: { [path]: apiKey, jwt: path === 'v1' } })
            apps[`${name}, in ${path}`] = child
          },
          { prefix: path }
        )
  }
  return apps
}

t.test('guards where they can not stand', async (t) => {
  const apps = await createApps(t)
  const guards: Record<string, unknown[]> = {
    jwt: ['jwt'],
    'jwt, jtw': ['jwt', 'jtw'],
    'x, y': ['x', 'y'],
    v1: ['v1'],
    cookie: ['cookie'],
    'all that say something': ['mute', 'proxy', 'unread', 'cookie', 'bearer'],
    apiKey: ['jwt', 'apiKey', 'local'],
    ...Object.fromEntries(
      ['users', 'nowhere', 'authentication', '/authentication/', 'v2/authentication'].map((service) => [
        `of ${service}`,
        [{ service, strategies: ['jwt', 'v2'] }]
      ])
    )
  }
  const guardOf = (args: unknown[]) => (authenticate as (...args: unknown[]) => object)(...args)
  const kept: Record<string, unknown> = { misuse: await byOutcome(given, (args) => typeof guardOf(args)) }
  for (const [name, app] of Object.entries(apps)) {
    kept[name] = await byOutcome(guards, (args) => traitsOf(guardOf(args)).check?.({ app, path: 'here' }))
    kept[`${name}: security`] = await byOutcome(guards, async (args) =>
      JSON.stringify(traitsOf(guardOf(args)).security?.({ app, path: '' }, 'find'))
    )
    if (name === 'bare' || name === 'none') continue
    const path = name === 'one' ? 'authentication' : 'v1/authentication'
    const places = {
      itself: { service: app.service<object, string>(path) },
      another: { service: app.service<object, string>('users') },
      ...{ before: { type: 'before' }, around: { type: 'around' }, after: { type: 'after' }, error: { type: 'error' } }
    } as const
    kept[`${name}: places`] = await byOutcome<object>(places, (place) =>
      traitsOf(guardOf(['jwt', 'jwt'])).check?.({ app, path: 'here', ...place })
    )
  }
  isKept(t, kept, 'test/authentication/whole-guards.txt')
})
