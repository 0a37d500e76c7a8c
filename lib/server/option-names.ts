import type { FastifyBaseLogger, FastifySchema } from 'fastify'
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
type Kind = readonly [description: string, is: (value: unknown) => boolean]
const isFunction = (value: unknown) => typeof value === 'function'
const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === 'string')
// Hooks for all methods may be a list. A schema of some libraries is a function.
const isMap = (value: unknown) => typeof value === 'object' && value !== null
const isSchema = (value: unknown) => isObject(value) || isFunction(value)

// What would fail later, with an error of V8, or be ignored. Fastify and others check the rest.
const kindsOfPlugin: Readonly<Record<string, Kind>> = {
  query: ['an object or a function', (value) => isObject(value) || isFunction(value)],
  formatter: ['a function', isFunction],
  hooks: ['an object', isMap]
}
const kindsOfService: Readonly<Record<string, Kind>> = {
  methods: ['a list of names', isNames],
  routes: ['an object', isObject],
  events: ['a list of names', isNames],
  hooks: ['an object', isMap],
  formatter: ['a function', isFunction],
  schema: ['an object', isObject],
  config: ['an object', isMap]
}
function checkKinds(options: object, kinds: Readonly<Record<string, Kind>>, of: string): void {
  for (const [name, value] of Object.entries(options)) {
    const [description, is] = kinds[name] ?? []
    if (value !== undefined && is?.(value) === false)
      throw new TypeError(`The option \`${name}\` of ${of} must be ${description}, got ${shown(value)}`)
  }
}
const check = (options: unknown, known: object, has: string, place?: string) => {
  if (isObject(options)) checkOptionNames(options, Object.keys(known), has, place)
}

/** @throws when an option of the plugin is not known, a misspelt one for example. Those in `query` are those of `qs`. */
export function checkPluginOptions(options: ServicesOptions, log: FastifyBaseLogger): void {
  const call = 'child.service(path, object)'
  const plugin = { name: 'fastify-services', registers: 'the services', call }
  checkPluginOptionNames(options, Object.keys(ofPlugin), plugin, log)
  checkKinds(options, kindsOfPlugin, 'fastify-services')
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

/** @throws when it is no path that `app.service` was given */
export function checkPath(path: unknown): void {
  if (typeof path !== 'string')
    throw new TypeError(`app.service() needs the path of a service, as in app.service('messages'), got ${shown(path)}`)
}

/** @throws when an option of a service is not known, or of another type */
export function checkServiceOptions(options: ServiceOptions, path: string): void {
  const of = `the service '${path}'`
  if (!isObject(options)) throw new TypeError(`The options of ${of} must be an object, got ${shown(options)}`)
  check(options, ofService, `The service '${path}' has`)
  checkKinds(options, kindsOfService, of)
  for (const [name, schema] of Object.entries(options.schema ?? {})) {
    const { response }: FastifySchema = isObject(schema) ? schema : {}
    checkKinds(
      { [`schema.${name}`]: schema, [`schema.${name}.response`]: response },
      { [`schema.${name}`]: ['an object', isObject], [`schema.${name}.response`]: ['a schema', isSchema] },
      of
    )
  }
}
