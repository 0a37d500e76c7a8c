import type { FastifyBaseLogger } from 'fastify'
import type { ErrorHandlerOptions, NotFoundOptions, ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import { checkOptionNames } from '../core/option-names.js'

// The compiler checks each of these against the type of the options.
const ofPlugin = {
  query: true,
  formatter: true,
  hooks: true,
  notFound: true,
  errorHandler: true
} satisfies Record<keyof ServicesOptions, true>
// Fastify takes these of every plugin, by `@fastify/autoload` too.
const ofRegister = { prefix: true, logLevel: true, logSerializers: true }
const ofService = {
  methods: true,
  routes: true,
  events: true,
  hooks: true,
  before: true,
  after: true,
  formatter: true,
  schema: true,
  config: true,
  bodyLimit: true,
  handlerTimeout: true
} satisfies Record<keyof ServiceOptions, true>
const ofErrorHandler = { html: true, logger: true, expose: true, requestId: true } satisfies Record<
  keyof ErrorHandlerOptions,
  true
>
const ofNotFound = { ...ofErrorHandler, verbose: true } satisfies Record<keyof NotFoundOptions, true>
const check = (options: unknown, known: object, has: string, place?: string) => {
  if (typeof options === 'object' && options !== null) checkOptionNames(options, Object.keys(known), has, place)
}

/**
 * Warns of options that Fastify takes of every plugin, and applies to none that decorates the instance around it.
 * @throws when an option of the plugin is not known, a misspelt one for example. Those in `query` are those of `qs`.
 */
export function checkPluginOptions(options: ServicesOptions, log: FastifyBaseLogger): void {
  const has = 'fastify-services has'
  check(options, { ...ofPlugin, ...ofRegister }, has)
  check(options.errorHandler, ofErrorHandler, has, 'errorHandler.')
  check(options.notFound, ofNotFound, has, 'notFound.')
  for (const name of Object.keys(ofRegister))
    if (name in options)
      log.warn(
        `The option \`${name}\` of fastify-services has no effect. Give it to a plugin that registers the services: app.register(async (child) => { child.service(path, object) }, { ${name}: … })`
      )
}

/** @throws when an option of a service is not known */
export function checkServiceOptions(options: ServiceOptions, path: string): void {
  check(options, ofService, `The service '${path}' has`)
}
