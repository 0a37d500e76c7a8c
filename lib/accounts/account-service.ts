import type { FastifyInstance } from 'fastify'
import type { ServiceOptions } from '../../types/fastify.js'
import type { AroundHook, HookContext } from '../../types/hooks.js'
import { createRateLimit, type RateLimitOptions, rateLimitOptions } from '../authentication/rate-limit.js'
import { checkOptions, kinds, type OptionKind, registerOptions } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { metaOf } from '../core/service-meta.js'
import type { PasswordLogin } from './password-login.js'

const optionKinds: Readonly<Record<string, OptionKind>> = {
  send: kinds.function,
  path: kinds.filled,
  expiresIn: kinds.free,
  password: kinds.plain,
  rateLimit: kinds.flagOrPlain,
  strategies: kinds.names,
  field: kinds.filled,
  required: kinds.flag
}

/**
 * Checks the options of a plugin.
 * @param names the options that it has
 * @throws if an option is unknown or has the wrong type, or `send` is missing
 */
export function checkAccountOptions(who: string, options: object, names: readonly string[]): void {
  const table = Object.fromEntries(names.map((name) => [name, optionKinds[name] as OptionKind]))
  checkOptions(who, { ...table, ...registerOptions }, options)
  const { send, rateLimit } = options as { send?: unknown; rateLimit?: unknown }
  if (names.includes('send') && send === undefined)
    throw new Error(`${who} needs the option \`send\`, a function that sends a mail: ({ user, token }) => …`)
  if (typeof rateLimit === 'object') checkOptions(who, rateLimitOptions, Object(rateLimit), 'rateLimit.')
}

interface AccountService {
  readonly path: string
  readonly schema: object
  readonly guard?: AroundHook
  readonly rateLimit: boolean | RateLimitOptions
  /** Default: the limits of mails. */
  readonly defaults?: Required<RateLimitOptions>
  /** Returns the user whom a call of `create` is about. Default: the name in its data. */
  userOf?(context: HookContext): unknown
}

/**
 * Registers a service, with a limit for its `create`. When the server starts, it checks that
 * passwords are hashed.
 * @throws if an option can't be used, or @fastify/rate-limit is missing
 */
export async function registerAccountService(
  app: FastifyInstance,
  login: PasswordLogin,
  object: object,
  { path, schema, guard, rateLimit, ...settings }: AccountService
): Promise<void> {
  const {
    defaults = { user: 3, client: 30, timeWindow: '15m' },
    userOf = ({ data }) => login.strategy.nameIn(data) ?? null
  } = settings
  const limits = { path: joinPath(app.prefix, path), defaults, userOf }
  const limit = rateLimit && (await createRateLimit(app, login.who, rateLimit, limits))
  const options = {
    schema,
    methods: ['create', 'confirm'].filter((name) => name in object),
    bodyLimit: 16_384,
    hooks: { around: { all: guard ? [guard] : [], create: limit ? [limit] : [] } }
  }
  metaOf(object).isForLogins = true
  app.service<object>(path, object, options as object as ServiceOptions<object, never>)
  app.addHook('onReady', async () => login.checkHashing())
}
