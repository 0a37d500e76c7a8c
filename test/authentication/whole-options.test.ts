import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  JwtStrategy,
  LocalStrategy,
  memoryStore
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { toSeconds } from '../../lib/authentication/token.js'
import { createPeople } from '../support/auth-guards.js'
import { isKept } from '../support/kept.js'
import { secret } from '../support/tokens.js'
import { byOutcome } from './outcomes.js'

const own = { authenticate: Math.max }
const values: Record<string, unknown> = {
  ...{ undefined: undefined, null: null, true: true, false: false, 0: 0, 1: 1, '1.5': 1.5, '-1': -1 },
  ...{ 'an empty string': '', 'a string': 'text', 'a span': '2h', Infinity: Number.POSITIVE_INFINITY },
  'an empty list': [],
  'a list': ['jwt', 'local'],
  'a list with a number': ['jwt', 5],
  'a list after it': [5, 'jwt'],
  ...{ 'an object': {}, 'a function': Math.max, 'a class': JwtStrategy },
  ...{ 'a strategy': new JwtStrategy(), 'another strategy': own, 'a list that is one': Object.assign([], own) },
  ...{ 'a store': memoryStore(), 'a store without set': { get: Math.max }, 'a store without get': { set: Math.max } },
  ...{ 'a list that is a store': Object.assign([], memoryStore()), bytes: Buffer.from('text'), 'a Map': new Map() }
}
/** Options in which a value stands at a place such as `strategies.jwt.header`. */
const optionsWith = (place: string, value: unknown): object =>
  place.split('.').reduceRight((inner, name) => ({ [name]: inner }), value as object)

// Those that are checked before the secret is, and those after it.
const early = `path service entity entityId strategies authStrategies parseStrategies jwt passwords revocation store isRevoked refresh
  before after hooks config bodyLimit handlerTimeout schema jwt.expiresIn passwords.waiting refresh.expiresIn strategies.jwt strategies.local
  strategies.own strategies.jwt.header strategies.jwt.schemes strategies.local.usernameField strategies.local.passwordField
  strategies.local.entityUsernameField strategies.local.entityPasswordField strategies.local.bcrypt strategies.local.rehash`
const late = `jwt.expiresIn jwt.issuer jwt.audience jwt.algorithm passwords.concurrent passwords.waiting refresh.expiresIn authStrategies
  parseStrategies`

/** Registers an authentication with options, whatever they are. The secret is missing or the path taken, so that no good ones have an effect. */
async function createRegister(t: Test) {
  const app: FastifyInstance = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('taken', createPeople())
  return async (options: object) => {
    const registered: Promise<void> = authentication(app, { path: 'taken', ...options } as AuthenticationOptions)
    return registered.catch((error) => {
      if (!/`secret` of authentication is missing|'taken' is registered/.test(error.message)) throw error
      return 'fine'
    })
  }
}

t.test('each option with values of all kinds', async (t) => {
  const register = await createRegister(t)
  const kept: Record<string, unknown> = {}
  for (const place of early.split(/\s+/))
    kept[place] = await byOutcome(values, (value) => register(optionsWith(place, value)))
  for (const place of late.split(/\s+/))
    kept[`${place}, with a secret`] = await byOutcome(values, (value) =>
      register({ secret, ...optionsWith(place, value) })
    )
  isKept(t, kept, 'test/authentication/whole-options.txt')
})

const names = `Secret secrets servce sevice path2 paht entitiy entityID strategy authStrategy parseStrategy JWT password revoked stor isRevoke
  refreshToken jwt.expiresin jwt.expires jwt.iss jwt.issuers jwt.algorithms jwt.x passwords.concurent passwords.wait refresh.expiresIn2
  refresh.expire strategies.jwt.headers strategies.jwt.scheme strategies.jwt.schema strategies.local.userField strategies.local.userNameField
  strategies.local.entityUserNameField strategies.local.rehashes strategies.local.bycrypt strategies.local.x`
const strategies = {
  none: {},
  'none that is on': { jwt: false, local: undefined, own: false },
  'a key': { apiKey: 'sk-0123' },
  'a class': { own: LocalStrategy },
  'a second that is none': { jwt: true, own: {} },
  'true for one of its own': { own: true },
  'a method that is none': { own: { authenticate: 'yes' } },
  refresh: { refresh: own }
}
const lists: Record<string, object> = {
  'the first is unknown': { authStrategies: ['jtw', 'jwt'] },
  'the last is unknown': { parseStrategies: ['jwt', 'jtw'] },
  'one is off': { strategies: { jwt: true, local: false }, authStrategies: ['jwt', 'local'] },
  'one reads nothing': { parseStrategies: ['jwt', 'local'] },
  'one of its own reads nothing': { strategies: { own }, parseStrategies: ['own'] },
  'one of its own logs in': { strategies: { own }, authStrategies: ['own'] },
  'one of its own reads': { strategies: { own: { ...own, parse: Math.max } }, parseStrategies: ['own'] },
  'none logs in': { authStrategies: [] },
  'none reads': { parseStrategies: [] },
  'refresh logs in': { refresh: true, authStrategies: ['refresh'] },
  'refresh is off': { refresh: false, authStrategies: ['refresh'] },
  'refresh reads': { refresh: true, parseStrategies: ['refresh'] },
  'refresh is taken': { refresh: true, strategies: { jwt: true, refresh: own } },
  'refresh is taken, and off': { strategies: { refresh: own } }
}
const entities = `authentication authenticated provider query headers route accessToken refreshToken feathers id params body raw server log ip
  ips host hostname port protocol url method originalUrl socket signal is404 routeOptions __proto__ constructor user User member Query
  toString`

t.test('names: of options, strategies and entities', async (t) => {
  const register = await createRegister(t)
  const rows = (text: string) => Object.fromEntries(text.split(/\s+/).map((name) => [name, name]))
  const kept = {
    options: await byOutcome(rows(names), (name) => register(optionsWith(name, 'x'))),
    'options of strategies of its own': await byOutcome({ jwt: 'jwt', local: 'local' }, (name) =>
      register({ strategies: { [name]: { ...own, any: 1 } } })
    ),
    strategies: await byOutcome(strategies, (strategies) => register({ strategies })),
    lists: await byOutcome(lists, (options) => register({ secret, ...options })),
    entities: await byOutcome(rows(entities), (entity) => register({ entity }))
  }
  isKept(t, kept, 'test/authentication/whole-option-names.txt')
})

const spans = `0 0.5 0.999 1 1.9 60 4319999999999 4320000000000 4320000000001 8640000000000 1e308 NaN -60`
const texts = `0s|1ms|999ms|1000ms|1s|1.9s|90|90s|15m|15 m|15M|1 minute|2hours|1d|1w|1y|136000y|137000y|soon| ||-1d|1d1h|1e3|60 |${'x'.repeat(50)}`

t.test('spans of time', async (t) => {
  const rows = [
    ...spans.split(/\s+/).map((number): [string, unknown] => [number, Number(number)]),
    ...texts.split('|').map((text): [string, unknown] => [`'${text}'`, text])
  ]
  const kept = await byOutcome(
    Object.fromEntries(rows),
    async (value) => `${toSeconds(value as string, 'some')} seconds`
  )
  isKept(t, kept, 'test/authentication/whole-spans.txt')
})
