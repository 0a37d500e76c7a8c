import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import type { ServiceOptions } from '../../types/fastify.js'
import type { HookContext, RegisteredService } from '../../types/hooks.js'
import { inspectText } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { isBounded, memoryStore } from '../core/store.js'
import { TokenCookie } from './cookie.js'
import { Credentials } from './credentials.js'
import { guardByDefault } from './guard.js'
import { checkTokens, registerAuthentication } from './lookup.js'
import { type AuthenticationOptions, checkAuthenticationOptions, strategyNamesOf, toStrategies } from './options.js'
import { Passwords } from './password.js'
import { servePublicKeys } from './public-keys.js'
import { createRateLimit } from './rate-limit.js'
import { AuthenticationService, createLoginHooks, type ServiceParts, type TokenLogin } from './service.js'
import { createRevocationList, Sessions } from './sessions.js'
import { onlyIf, prepareUsers } from './stored-credentials.js'
import { JwksStrategy } from './strategies/jwks.js'
import { JwtStrategy } from './strategies/jwt.js'
import { LocalStrategy } from './strategies/local.js'
import { RefreshStrategy } from './strategies/refresh.js'
import type { Strategy } from './strategy.js'
import { createTokens, toSeconds } from './token.js'
import { Users } from './users.js'

async function authentication(app: FastifyInstance, options: AuthenticationOptions): Promise<void> {
  if (!app.hasDecorator('service'))
    throw new Error('fastify-services/authentication needs fastify-services: register that plugin first')
  checkAuthenticationOptions(options)
  const path = joinPath(app.prefix, options.path ?? 'authentication')
  const strategies = toStrategies(options.strategies)
  const login = issuesTokens(options, strategies) ? await createLogin(app, path, options, strategies) : undefined
  const parseStrategies = strategyNamesOf('parseStrategies', options.parseStrategies, strategies)
  checkTokenReaders(parseStrategies, strategies)
  const guard = options.guard === undefined ? undefined : strategyNamesOf('guard', [options.guard].flat(), strategies)
  if (guard === undefined && options.public !== undefined)
    throw new Error(
      'The option `public` of authentication needs `guard`: without it, services are guarded by their hooks'
    )
  const local = [...strategies.values()].filter((strategy) => strategy instanceof LocalStrategy)
  const secrets = local.length === 0 ? ['password'] : local.map((strategy) => strategy.entityPasswordField)
  const users = new Users(app, options, secrets)
  const passwords = new Passwords(options.passwords)
  const { tokens, revocation, cookie } = login ?? {}
  const { isRevoked } = options
  const log = (message: string, err: unknown) => app.log.error({ err }, message)
  const parts = { app, users, passwords, strategies, parseStrategies, tokens, revocation, cookie, isRevoked, log }
  const credentials = new Credentials(parts)

  if (login === undefined) app.addHook('onReady', () => credentials.setup())
  const service = login && registerLogin(app, options, { ...login, credentials, users })
  if (service && options.rateLimit) {
    const userOf = ({ data }: HookContext) => loginNameIn(data, strategies)
    const limits = { path, defaults: { user: 10, client: 100, timeWindow: '1m' }, userOf }
    const limit = await createRateLimit(app, 'authentication', options.rateLimit, limits)
    service.hooks({ around: { create: [limit] } })
  }
  registerAuthentication(app, path, service, credentials, async (password, params) =>
    onlyIf in params ? password : passwords.hash(password)
  )
  users.onService((userService) => {
    for (const strategy of local) prepareUsers(userService, strategy.storedCredentials, passwords)
  })
  if (guard !== undefined) guardByDefault(app, { credentials, strategies: guard, publicNames: options.public ?? [] })
  app.addHook('onReady', async () => checkTokens(app, path, credentials))
}

/**
 * Checks that tokens reach the strategy of their issuer: a JwtStrategy reads all.
 * @param names the names of the strategies that read requests, in order
 * @throws when a JwtStrategy comes first
 */
function checkTokenReaders(names: readonly string[], strategies: ReadonlyMap<string, Strategy>): void {
  const readsAll = (strategy: unknown) => strategy instanceof JwtStrategy && strategy.header === 'authorization'
  const first = names.findIndex((name) => readsAll(strategies.get(name)))
  const late = names.slice(first + 1).find((name) => strategies.get(name) instanceof JwksStrategy)
  if (first >= 0 && late !== undefined)
    throw new Error(
      `The strategy '${names[first]}' would read the tokens of '${late}': put '${late}' before it in \`strategies\` of authentication`
    )
}

// Options that only a login with tokens has. If one of them is set, `secret` is missing by mistake.
const tokenOptions = [
  ...(['path', 'authStrategies', 'jwt', 'isRevoked', 'revocation', 'refresh', 'cookie', 'store', 'rateLimit'] as const),
  ...(['before', 'after', 'hooks', 'schema', 'config', 'bodyLimit', 'handlerTimeout'] as const)
]

/** Whether there is a login that issues tokens. Strategies that read requests need none. */
const issuesTokens = (options: AuthenticationOptions, strategies: ReadonlyMap<string, Strategy>) =>
  options.secret !== undefined ||
  tokenOptions.some((option) => options[option] !== undefined) ||
  [...strategies.values()].some((strategy) => strategy instanceof JwtStrategy || strategy.parse === undefined)

/**
 * Creates the parts of a login that issues tokens. With `refresh`, it adds a strategy.
 * @throws when an option can't be used
 */
async function createLogin(
  app: FastifyInstance,
  path: string,
  options: AuthenticationOptions,
  strategies: Map<string, Strategy>
): Promise<TokenLogin> {
  const { refresh, jwt = {}, cookie, store = memoryStore() } = options
  const verifying = [...strategies].filter(([, strategy]) => strategy instanceof JwtStrategy).map(([key]) => key)
  checkTokenOptions({ ...options, store }, verifying)
  const tokens = await createTokens(app, options.secret, {
    expiresIn: jwt.expiresIn ?? (refresh ? '15m' : '1d'),
    issuer: jwt.issuer ?? 'fastify-services',
    audience: jwt.audience ?? (path || '/'),
    algorithm: jwt.algorithm ?? 'HS256',
    ...(jwt.header && { header: jwt.header })
  })
  if (jwt.jwks) servePublicKeys(app, tokens.publicKeys)
  const revocation = options.revocation ? createRevocationList(store, path, tokens.lifetime) : undefined
  const { expiresIn = '30d', grace = 30 } = typeof refresh === 'object' ? refresh : {}
  const onEnd = async (sid: string) => revocation?.revokeLogin(sid)
  const times = { lifetime: toSeconds(expiresIn, 'refresh.expiresIn'), grace: toGrace(grace) }
  const sessions = refresh ? new Sessions(store, path, times, onEnd) : undefined
  if (sessions !== undefined) {
    if (strategies.has('refresh'))
      throw new Error("The name 'refresh' belongs to the strategy of the option `refresh`: choose another name")
    strategies.set('refresh', new RefreshStrategy(sessions))
  }
  const names = strategyNamesOf('authStrategies', options.authStrategies, strategies)
  const authStrategies = [...new Set(sessions === undefined ? names : [...names, 'refresh'])]
  const logoutStrategies = strategyNamesOf('authStrategies', undefined, strategies)
  const cookieOptions = typeof cookie === 'object' ? cookie : {}
  return {
    ...{ tokens, revocation, sessions, authStrategies, logoutStrategies },
    cookie: cookie ? new TokenCookie(cookieOptions, path, verifying) : undefined
  }
}

/**
 * @param verifying the names of the strategies that verify tokens
 * @throws when options exclude each other
 */
function checkTokenOptions(options: AuthenticationOptions, verifying: readonly string[]): void {
  const { cookie, refresh, revocation, store } = options
  if (cookie && verifying.length === 0)
    throw new Error('The option `cookie` of authentication needs a strategy that verifies tokens: enable `jwt`')
  if (cookie && refresh)
    throw new Error(
      'The options `cookie` and `refresh` of authentication exclude each other: set `jwt.expiresIn` to how long a log-in lasts, and `revocation` for log-outs that end it'
    )
  if ((revocation || refresh) && store !== undefined && isBounded(store))
    throw new Error(
      "The option `store` of authentication can't be a memoryStore with `max` or `maxBytes`: it would forget which tokens were revoked. Leave both out"
    )
}

const maxGrace = 60

/**
 * Returns the grace of refresh tokens in seconds.
 * @throws when it is no time span, or so long that a thief would go unnoticed
 */
function toGrace(grace: string | number): number {
  const seconds = grace === 0 ? 0 : toSeconds(grace, 'refresh.grace')
  if (seconds <= maxGrace) return seconds
  throw new Error(
    `The option \`refresh.grace\` of authentication must be at most ${maxGrace} seconds, got ${inspectText(grace)}: a thief who has copied a refresh token goes unnoticed for so long`
  )
}

/** The user name of a login by password, `null` if it can't be one. Other logins have none. */
function loginNameIn(data: unknown, strategies: ReadonlyMap<string, Strategy>): string | null | undefined {
  const strategy = strategies.get(Object(data).strategy)
  return strategy instanceof LocalStrategy ? (strategy.nameIn(data) ?? null) : undefined
}

function registerLogin(app: FastifyInstance, options: AuthenticationOptions, parts: ServiceParts): RegisteredService {
  const { before, after, hooks, config, bodyLimit, handlerTimeout, schema } = options
  const serviceOptions = { before, after, config, bodyLimit, handlerTimeout, schema }
  const registered = app.service(options.path ?? 'authentication', new AuthenticationService(parts), {
    ...(serviceOptions as ServiceOptions<AuthenticationService>),
    methods: ['create', 'remove'],
    hooks: createLoginHooks(parts.cookie)
  })
  if (hooks !== undefined) registered.hooks(hooks)
  return registered
}

/**
 * The plugin: the login (docs/authentication.md#answers) as a service, at `/authentication`.
 * Register it after `fastify-services`, once for each set of users.
 *
 * @throws when an option can't be used; when the server starts, if there is no service of users
 * @example
 * await app.register(authentication, { secret: process.env.AUTH_SECRET })
 */
export default plugin(authentication, { fastify: '5.x', name: 'fastify-services/authentication' })
