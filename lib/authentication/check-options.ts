import { checkOptionNames } from '../core/option-names.js'
import { isObject, isPlain } from '../core/plain.js'
import { shown } from '../core/shown.js'
import { type AuthenticationOptions, isStrategy } from './options.js'
import type { PasswordOptions } from './password.js'
import type { JwtOptions } from './strategies/jwt.js'
import type { LocalOptions } from './strategies/local.js'
import type { TokenOptions } from './token.js'

type Kind = readonly [description: string, is: (value: unknown) => boolean]
const kind = (description: string, is: Kind[1]): Kind => [description, is]
const isNonEmpty = (value: unknown): value is string => typeof value === 'string' && value !== ''

const free = kind('anything', () => true)
const object = kind('a plain object', isPlain)
const text = kind('a non-empty string', isNonEmpty)
const list = kind('a list of strings', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'))
const flag = kind('true or false', (value) => typeof value === 'boolean')
const isCollection = (value: object) =>
  [Map, WeakMap, URLSearchParams, Headers, FormData].some((type) => value instanceof type)
const store = kind(
  // It would keep all for ever, as those of the platform do that take a key and a value alone.
  'an object with the methods get(key) and set(key, value, seconds), which a Map is not',
  (value) =>
    isObject(value) && typeof value.get === 'function' && typeof value.set === 'function' && !isCollection(value)
)

// Each option, and what it must be. Options that are checked elsewhere may be anything here.
const known: Record<string, Record<string, Kind>> = {
  '': {
    ...{ secret: free, service: text, entityId: text, strategies: object, authStrategies: list, parseStrategies: list },
    ...{ jwt: object, passwords: object, revocation: flag, store },
    path: kind('a string', (value) => typeof value === 'string'),
    entity: kind('a non-empty string, or null', (value) => value === null || isNonEmpty(value)),
    isRevoked: kind('a function', (value) => typeof value === 'function'),
    refresh: kind('true, false or a plain object', (value) => typeof value === 'boolean' || isPlain(value)),
    ...{ before: free, after: free, hooks: free, config: free, bodyLimit: free, handlerTimeout: free, schema: free }
  } satisfies Record<keyof AuthenticationOptions, Kind>,
  'jwt.': { expiresIn: free, issuer: free, audience: free, algorithm: free, header: object } satisfies Record<
    keyof TokenOptions,
    Kind
  >,
  'passwords.': { concurrent: free, waiting: free } satisfies Record<keyof PasswordOptions, Kind>,
  'refresh.': { expiresIn: free },
  'strategies.jwt.': { header: text, schemes: list } satisfies Record<keyof JwtOptions, Kind>,
  'strategies.local.': {
    ...{ usernameField: text, passwordField: text, entityUsernameField: text, entityPasswordField: text },
    ...{ bcrypt: free, rehash: flag }
  } satisfies Record<keyof LocalOptions, Kind>
}

/**
 * Checks the names and the types of the options. Those that are misspelt, or of another library, would be ignored in silence.
 * @throws when one is wrong
 */
export function checkOptions(options: AuthenticationOptions): void {
  const { jwt, passwords, refresh, strategies, entity } = options
  const given: Record<string, unknown> = {
    '': options,
    'jwt.': jwt,
    'passwords.': passwords,
    'refresh.': refresh,
    'strategies.jwt.': strategies?.jwt,
    'strategies.local.': strategies?.local
  }
  for (const [place, kinds] of Object.entries(known))
    if (isObject(given[place]) && !isStrategy(given[place])) checkPlace(place, given[place], kinds)
  if (typeof entity === 'string' && taken.has(entity))
    throw new Error(
      `The option \`entity\` of authentication can't be '${entity}': requests, params or results have that already`
    )
}

function checkPlace(place: string, given: Record<string, unknown>, kinds: Record<string, Kind>): void {
  checkOptionNames(given, Object.keys(kinds), 'Authentication has', place)
  for (const [name, [description, is]] of Object.entries(kinds))
    if (given[name] !== undefined && !is(given[name]))
      throw new Error(
        `The option \`${place}${name}\` of authentication must be ${description}, got ${shown(given[name])}`
      )
}

// The result of a login, params, or requests of Fastify have these properties.
// biome-ignore format: a list
const taken = new Set([
  'authentication', 'authenticated', 'provider', 'query', 'headers', 'route', 'accessToken', 'refreshToken', 'feathers',
  'id', 'params', 'body', 'raw', 'server', 'log', 'ip', 'ips', 'host', 'hostname', 'port', 'protocol', 'url', 'method',
  'originalUrl', 'socket', 'signal', 'is404', 'routeOptions', '__proto__', 'constructor'
])
