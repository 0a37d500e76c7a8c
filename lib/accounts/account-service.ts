import type { FastifyInstance } from 'fastify'
import type { ServiceOptions } from '../../types/fastify.js'
import type { AroundHook, HookContext } from '../../types/hooks.js'
import { createRateLimit, type RateLimitOptions, rateLimitOptions } from '../authentication/rate-limit.js'
import { checkOptions, kinds, type OptionKind } from '../core/options.js'
import { joinPath } from '../core/path.js'

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
// Fastify reads these options of every plugin.
const fastifyOptions = { prefix: kinds.free, logLevel: kinds.free, logSerializers: kinds.free }

/**
 * Checks the options of a plugin.
 * @param names the options that it has
 * @throws if an option is unknown or has the wrong type, or `send` is missing
 */
export function checkAccountOptions(who: string, options: object, names: readonly string[]): void {
  const table = Object.fromEntries(names.map((name) => [name, optionKinds[name] as OptionKind]))
  checkOptions(who, { ...table, ...fastifyOptions }, options)
  const { send, rateLimit } = options as { send?: unknown; rateLimit?: unknown }
  if (names.includes('send') && send === undefined)
    throw new Error(`${who} needs the option \`send\`, a function that sends a mail: ({ user, token }) => …`)
  if (typeof rateLimit === 'object') checkOptions(who, rateLimitOptions, Object(rateLimit), 'rateLimit.')
}

interface AccountService {
  /** The plugin, for errors. */
  readonly who: string
  readonly path: string
  readonly schema: object
  readonly guard?: AroundHook
  readonly rateLimit: boolean | RateLimitOptions
  readonly defaults: Required<RateLimitOptions>
  /** Returns the user whom a call of `create` is about. */
  userOf(context: HookContext): unknown
}

/**
 * Registers a service, with a limit for its `create`.
 * @throws if an option can't be used, or @fastify/rate-limit is missing
 */
export async function registerAccountService(
  app: FastifyInstance,
  object: object,
  { who, path, schema, guard, rateLimit, defaults, userOf }: AccountService
): Promise<void> {
  const limit =
    rateLimit && (await createRateLimit(app, who, rateLimit, { path: joinPath(app.prefix, path), defaults, userOf }))
  const options = {
    schema,
    methods: ['create', 'confirm'].filter((name) => name in object),
    bodyLimit: 16_384,
    hooks: { around: { all: guard ? [guard] : [], create: limit ? [limit] : [] } }
  }
  app.service<object>(path, object, options as object as ServiceOptions<object, never>)
}
