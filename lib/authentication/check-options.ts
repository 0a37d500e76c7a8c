import { type AuthenticationOptions, isStrategy } from './options.js'

const known = {
  '': [
    ...['secret', 'service', 'entity', 'entityId', 'path', 'strategies', 'authStrategies', 'parseStrategies', 'jwt'],
    ...['passwords', 'isRevoked', 'revocation', 'refresh', 'store'],
    ...['before', 'after', 'hooks', 'config', 'bodyLimit', 'schema']
  ],
  'jwt.': ['expiresIn', 'issuer', 'audience', 'algorithm'],
  'passwords.': ['concurrent', 'waiting'],
  'strategies.jwt.': ['header', 'schemes'],
  'strategies.local.': [
    ...['usernameField', 'passwordField', 'entityUsernameField', 'entityPasswordField', 'bcrypt', 'rehash']
  ]
}

/**
 * Finds options that are misspelt, or of another library: nothing would be done about them.
 * @throws when there is one
 */
export function checkOptions(options: AuthenticationOptions): void {
  const { jwt, passwords, strategies, store, entity } = options
  const given = {
    '': options,
    'jwt.': jwt,
    'passwords.': passwords,
    'strategies.jwt.': strategies?.jwt,
    'strategies.local.': strategies?.local
  }
  for (const [place, names] of Object.entries(known)) {
    const here = given[place as keyof typeof given]
    if (isStrategy(here)) continue
    const unknown = Object.keys(Object(here)).find((name) => !names.includes(name))
    if (unknown !== undefined)
      throw new Error(
        `Authentication has no option '${place}${unknown}'. There are: ${names.map((name) => place + name).join(', ')}`
      )
  }
  if (store !== undefined && (typeof store.get !== 'function' || typeof store.set !== 'function'))
    throw new Error(
      'The option `store` of authentication is an object with the methods get(key) and set(key, value, seconds)'
    )
  if (typeof entity === 'string' && (entity === '' || taken.has(entity)))
    throw new Error(
      `The option \`entity\` of authentication can't be '${entity}': requests, params or results have that already`
    )
}

const taken = new Set([
  ...[
    'authentication',
    'authenticated',
    'provider',
    'query',
    'headers',
    'route',
    'accessToken',
    'refreshToken',
    'feathers'
  ],
  ...[
    'id',
    'params',
    'body',
    'raw',
    'server',
    'log',
    'ip',
    'ips',
    'host',
    'hostname',
    'port',
    'protocol',
    'url',
    'method'
  ],
  ...['originalUrl', 'socket', 'signal', 'is404', 'routeOptions', '__proto__', 'constructor']
])
