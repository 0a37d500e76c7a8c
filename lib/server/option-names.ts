import type { FastifyBaseLogger } from 'fastify'
import type { ErrorHandlerOptions, NotFoundOptions, ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import { checkOptionNames, checkPluginOptionNames } from '../core/option-names.js'
import { isObject } from '../core/plain.js'
import { shown } from '../core/shown.js'

// The compiler checks each of these against the type of the options.
const ofPlugin = {
  query: true,
  formatter: true,
  hooks: true,
  notFound: true,
  errorHandler: true
} satisfies Record<keyof ServicesOptions, true>
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
  if (isObject(options)) checkOptionNames(options, Object.keys(known), has, place)
}

/** @throws when an option of the plugin is not known, a misspelt one for example. Those in `query` are those of `qs`. */
export function checkPluginOptions(options: ServicesOptions, log: FastifyBaseLogger): void {
  const call = 'child.service(path, object)'
  const plugin = { name: 'fastify-services', registers: 'the services', call }
  checkPluginOptionNames(options, Object.keys(ofPlugin), plugin, log)
  const has = 'fastify-services has'
  const { errorHandler, notFound } = options
  if (errorHandler !== undefined && !isObject(errorHandler))
    throw new TypeError(`The option \`errorHandler\` of fastify-services must be an object, got ${shown(errorHandler)}`)
  if (!['undefined', 'boolean'].includes(typeof notFound) && !isObject(notFound))
    throw new TypeError(
      `The option \`notFound\` of fastify-services must be true, false or an object, got ${shown(notFound)}`
    )
  check(errorHandler, ofErrorHandler, has, 'errorHandler.')
  check(notFound, ofNotFound, has, 'notFound.')
}

/** @throws when an option of a service is not known */
export function checkServiceOptions(options: ServiceOptions, path: string): void {
  check(options, ofService, `The service '${path}' has`)
}
