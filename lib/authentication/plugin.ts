import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import type { ServiceOptions } from '../../types/fastify.js'
import type { RegisteredService } from '../../types/hooks.js'
import type { Describable } from '../core/description.js'
import { serviceHostOf } from '../core/host.js'
import { inspectText } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { metaOf } from '../core/service-meta.js'
import { isBounded, memoryStore } from '../core/store.js'
import { checkAuthenticationOptions } from './check-options.js'
import { TokenCookie } from './cookie.js'
import { guardServices } from './default-guard.js'
import { Entities } from './entities.js'
import { checkTokens, registerAuthentication } from './find.js'
import { type AuthenticationOptions, namesOf, toStrategies } from './options.js'
import { Passwords } from './password.js'
import { RevocationList } from './revocation.js'
import { AuthenticationService, loginHooks, type ServiceParts, type TokenLogin } from './service.js'
import { Sessions } from './sessions.js'
import { prepareUsers } from './stored-credentials.js'
import { JwtStrategy } from './strategies/jwt.js'
import { LocalStrategy } from './strategies/local.js'
import { RefreshStrategy } from './strategies/refresh.js'
import type { Strategy } from './strategy.js'
import { createTokens, toSeconds } from './token.js'
import { Credentials } from './verifier.js'

async function authentication(app: FastifyInstance, options: AuthenticationOptions): Promise<void> {
  if (!app.hasDecorator('service'))
    throw new Error('fastify-services/authentication needs fastify-services: register that plugin first')
  checkAuthenticationOptions(options)
  const name = joinPath(app.prefix, options.path ?? 'authentication')
  const strategies = toStrategies(options.strategies)
  const login = issuesTokens(options, strategies) ? await prepareLogin(app, name, options, strategies) : undefined
  const parseStrategies = namesOf('parseStrategies', options.parseStrategies, strategies)
  const guard = options.guard === undefined ? undefined : namesOf('guard', [options.guard].flat(), strategies)
  if (guard === undefined && options.public !== undefined)
    throw new Error(
      'The option `public` of authentication needs `guard`: without it, services are guarded by their hooks'
    )
  const local = [...strategies.values()].filter((strategy) => strategy instanceof LocalStrategy)
  const secrets = local.length === 0 ? ['password'] : local.map((strategy) => strategy.entityPasswordField)
  const entities = new Entities(app, options, secrets)
  const passwords = new Passwords(options.passwords)
  const log = (message: string, err: unknown) => app.log.error({ err }, message)
  const { tokens, revocation, cookie } = login ?? {}
  const { isRevoked } = options
  const parts = { entities, passwords, strategies, parseStrategies, tokens, revocation, cookie, isRevoked, log }
  const credentials = new Credentials(parts)

  if (login === undefined) app.addHook('onReady', () => credentials.setup())
  const service = login && registerLogin(app, options, { ...login, credentials, entities })
  registerAuthentication(app, name, service, credentials)
  prepareStoredUsers(app, entities, (users) => {
    for (const strategy of local) prepareUsers(users, strategy.storedCredentials, passwords)
  })
  if (guard !== undefined) guardServices(app, { credentials, strategies: guard, open: options.public ?? [] })
  app.addHook('onReady', async () => checkTokens(app, name, credentials))
}

// What only a login by tokens has. Who sets one of these has left the secret out by mistake.
const tokenOptions = [
  ...(['path', 'authStrategies', 'jwt', 'isRevoked', 'revocation', 'refresh', 'cookie', 'store'] as const),
  ...(['before', 'after', 'hooks', 'schema', 'config', 'bodyLimit', 'handlerTimeout'] as const)
]

/**
 * Whether there is a log-in that gives tokens: a strategy that reads requests by itself needs none.
 */
const issuesTokens = (options: AuthenticationOptions, strategies: ReadonlyMap<string, Strategy>) =>
  options.secret !== undefined ||
  tokenOptions.some((option) => options[option] !== undefined) ||
  [...strategies.values()].some((strategy) => strategy instanceof JwtStrategy || strategy.parse === undefined)

/**
 * What a log-in by tokens needs, from the options. It adds the strategy for refresh tokens.
 * @throws when an option can't be used
 */
async function prepareLogin(
  app: FastifyInstance,
  name: string,
  options: AuthenticationOptions,
  strategies: Map<string, Strategy>
): Promise<TokenLogin> {
  const { refresh, store = memoryStore(), jwt = {}, cookie } = options
  const verifying = [...strategies].filter(([, strategy]) => strategy instanceof JwtStrategy).map(([key]) => key)
  if (cookie && verifying.length === 0)
    throw new Error('The option `cookie` of authentication needs a strategy that verifies tokens: enable `jwt`')
  if (cookie && refresh)
    throw new Error(
      'The options `cookie` and `refresh` of authentication exclude each other: set `jwt.expiresIn` to how long a log-in lasts, and `revocation` for log-outs that end it'
    )
  if ((options.revocation || refresh) && isBounded(store))
    throw new Error(
      "The option `store` of authentication can't be a memoryStore with `max` or `maxBytes`: it would forget which tokens were revoked. Leave both out"
    )
  const tokens = await createTokens(app, options.secret, {
    expiresIn: jwt.expiresIn ?? (refresh ? '15m' : '1d'),
    issuer: jwt.issuer ?? 'fastify-services',
    audience: jwt.audience ?? (name || '/'),
    algorithm: jwt.algorithm ?? 'HS256',
    ...(jwt.header && { header: jwt.header })
  })
  const revocation = options.revocation ? new RevocationList(store, name, tokens.lifetime) : undefined
  const { expiresIn = '30d', grace = 30 } = typeof refresh === 'object' ? refresh : {}
  const onEnd = async (sid: string) => revocation?.revokeLogin(sid)
  const times = { lifetime: toSeconds(expiresIn, 'refresh.expiresIn'), grace: toGrace(grace) }
  const sessions = refresh ? new Sessions(store, name, times, onEnd) : undefined
  if (sessions !== undefined) {
    if (strategies.has('refresh'))
      throw new Error("The strategy 'refresh' stands for the option `refresh`: choose another name")
    strategies.set('refresh', new RefreshStrategy(sessions))
  }
  const named = namesOf('authStrategies', options.authStrategies, strategies)
  const authStrategies = [...new Set(sessions === undefined ? named : [...named, 'refresh'])]
  const cookieOptions = typeof cookie === 'object' ? cookie : {}
  return {
    ...{ tokens, revocation, sessions, authStrategies },
    cookie: cookie ? new TokenCookie(cookieOptions, name, verifying) : undefined
  }
}

const maxGrace = 60

/**
 * The grace of refresh tokens in seconds.
 * @throws when it is no span, or so long that a thief would go unnoticed
 */
function toGrace(grace: string | number): number {
  const seconds = grace === 0 ? 0 : toSeconds(grace, 'refresh.grace')
  if (seconds <= maxGrace) return seconds
  throw new Error(
    `The option \`refresh.grace\` of authentication must be at most ${maxGrace} seconds, got ${inspectText(grace)}: a thief who has copied a refresh token goes unnoticed for so long`
  )
}

/** Registers the service to log in at. */
function registerLogin(app: FastifyInstance, options: AuthenticationOptions, parts: ServiceParts): object {
  const { before, after, hooks, config, bodyLimit, handlerTimeout, schema } = options
  const passed = { before, after, config, bodyLimit, handlerTimeout, schema } as ServiceOptions<AuthenticationService>
  const registered = app.service(options.path ?? 'authentication', new AuthenticationService(parts), {
    ...passed,
    methods: ['create', 'remove'],
    hooks: loginHooks(parts.cookie)
  })
  if (hooks !== undefined) registered.hooks(hooks)
  return registered
}

/**
 * Prepares the service of users as soon as it is there: what the server itself stores before the
 * start counts too.
 */
function prepareStoredUsers(
  app: FastifyInstance,
  entities: Entities,
  prepare: (users: RegisteredService) => void
): void {
  if (entities.name === null) return
  const host = serviceHostOf(app)
  const { paths } = entities
  const prepareEntry = ({ object, service }: Describable) => {
    // A service of another framework has hooks of its own, which hash by its rules.
    if (metaOf(object).mounted === undefined) prepare(service)
  }
  for (const entry of host.entries) if (paths.includes(entry.path)) prepareEntry(entry)
  host.onService.push((entry) => {
    if (paths.includes(entry.path)) prepareEntry(entry)
  })
}

/**
 * The plugin: the login (docs/login-reference.md#answers) as a service, at `/authentication`.
 * Register it after `fastify-services`, once for each set of users.
 *
 * @throws when an option can't be used; when the server starts, if there is no service of users
 * @example
 * await app.register(authentication, { secret: process.env.AUTH_SECRET })
 */
export default plugin(authentication, { fastify: '5.x', name: 'fastify-services/authentication' })
