import type { FastifyBaseLogger, FastifySchema } from 'fastify'
import type { IParseOptions } from 'qs'
import type { QueryOptions, ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import { methods } from '../core/methods.js'
import { isObject } from '../core/objects.js'
import {
  checkOptions,
  hintFor,
  inspect,
  kinds,
  type OptionKind,
  type OptionTable,
  withoutRegister
} from '../core/options.js'
import { recordRulesOf, rulesOf } from '../core/resource/method-rules.js'
import { standardOf } from '../core/resource/standard-schema.js'
import { isApplicator, isAssertion } from '../schema/keywords.js'
import { errorHandlerOptions, notFoundOptions } from './errors/error-handler.js'
import { hooksKind } from './hook-options.js'

const namesKind: OptionKind = ['a list of names', kinds.names[1]]
// A schema of some libraries is a function.
const schemaKind: OptionKind = ['a schema', kinds.settings[1]]
const { free, object } = kinds

// Values that would fail later with an error of V8, or be ignored. Fastify checks the free ones.
const pluginOptions: OptionTable<ServicesOptions> = {
  query: kinds.settings,
  formatter: kinds.function,
  hooks: hooksKind,
  notFound: ['true, false or an object', (value) => typeof value === 'boolean' || object[1](value)],
  errorHandler: object
}
const serviceOptions: OptionTable<ServiceOptions> = {
  methods: namesKind,
  routes: object,
  events: namesKind,
  hooks: hooksKind,
  before: free,
  after: free,
  formatter: kinds.function,
  schema: object,
  config: ['an object', (value) => Array.isArray(value) || object[1](value)],
  bodyLimit: free,
  handlerTimeout: free,
  deprecated: ['true or an object', (value) => value === true || object[1](value)]
}
const { flag, fromZero } = kinds
// Options of `qs` that have no type here are passed on to it.
const queryOptions: OptionTable<QueryOptions & Omit<IParseOptions, keyof QueryOptions>> = {
  arrayLimit: fromZero,
  depth: ['a number from 0, or false', (value) => value === false || fromZero[1](value)],
  parameterLimit: fromZero,
  allowDots: flag,
  comma: flag,
  allowEmptyArrays: flag,
  strictNullHandling: flag,
  allowPrototypes: free,
  allowSparse: free,
  charset: free,
  charsetSentinel: free,
  decodeDotInKeys: free,
  decoder: free,
  delimiter: free,
  duplicates: free,
  ignoreQueryPrefix: free,
  interpretNumericEntities: free,
  parseArrays: free,
  plainObjects: free,
  strictDepth: free,
  strictMerge: free,
  throwOnLimitExceeded: free
}

/** @throws when an option of the plugin is not known, a misspelt one for example */
export function checkPluginOptions(options: ServicesOptions, log: FastifyBaseLogger): void {
  const who = 'fastify-services'
  const advice = { registers: 'the services', call: 'child.service(path, object)' }
  checkOptions(who, pluginOptions, withoutRegister(who, options, advice, log))
  const { errorHandler, notFound, query } = options
  if (isObject(query)) checkOptions(who, queryOptions, query, 'query.')
  if (isObject(errorHandler)) checkOptions(who, errorHandlerOptions, errorHandler, 'errorHandler.')
  if (isObject(notFound)) checkOptions(who, notFoundOptions, notFound, 'notFound.')
}

const needsPath = "app.service() needs the path of a service, as in app.service('messages'), got"

/** @throws when it is no path that `app.service` was given */
export function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw new TypeError(`${needsPath} ${inspect(path)}`)
}

/** @throws for the path of a new service that no URL can have, or that is a URL itself */
export function checkNewPath(path: string): void {
  // A placeholder may have an expression, and the last one be optional: `:id(a?b)`, `:lang?`.
  const plainPath = path.replace(/\(.*\)/g, '').replace(/:\w+\?\/*$/, '')
  const [mark] = /[?#]|:\/\//.exec(plainPath) ?? []
  if (mark !== undefined) throw new Error(`${needsPath} '${path}': the path of a URL has no '${mark}'`)
}

/**
 * Whether a value is the schema of a record, which belongs into `resource()`. The names of methods
 * may be keywords, too, but hold objects.
 */
const isRecordSchema = (value: unknown) =>
  standardOf(value) !== undefined ||
  (isObject(value) &&
    Object.entries(value).some(
      ([name, operand]) =>
        isAssertion(name) && (typeof operand === 'string' || typeof operand === 'boolean' || Array.isArray(operand))
    ))

/**
 * Whether somebody gave a schema of a record for a method. It has keywords where a method has the
 * parts of a request, so it would validate nothing.
 */
const isSchemaItself = (value: unknown) =>
  standardOf(value) !== undefined ||
  (isObject(value) && Object.keys(value).some((name) => isAssertion(name) && value[name] !== undefined))

/** Creates the error for the schema of a record in place of schemas by method. */
const recordSchemaError = (path: string) =>
  new TypeError(
    `The option \`schema\` of the service '${path}' must have the schemas of each method, got that of a record: wrap it in resource(), as in { schema: resource(schema) }`
  )

/**
 * @throws when there is a schema for a method that HTTP can not call, a misspelt one for example
 */
export function checkSchemas(
  schemas: Record<string, FastifySchema | undefined> = {},
  path: string,
  exposed: readonly string[]
): void {
  // A resource has schemas for all of the six.
  const unknown = Object.keys(schemas).filter((name) => !exposed.includes(name) && rulesOf(schemas[name]) === undefined)
  if (unknown.some(isApplicator)) throw recordSchemaError(path)
  if (unknown.length > 0)
    throw new Error(
      `The service '${path}' has a schema for '${unknown[0]}', which HTTP can't call (${exposed.join(', ')})`
    )
}

/**
 * @throws when a service with a resource has another body, query or response: the resource could
 * not say what clients may send and see
 */
export function checkResourceParts(
  schemas: Record<string, FastifySchema | undefined> = {},
  path: string,
  exposed: readonly string[]
): void {
  if (recordRulesOf(schemas) === undefined) return
  for (const name of exposed) {
    const { querystring, body, response } = schemas[name] ?? {}
    const rules = rulesOf(schemas[name])
    const isCustom = !methods.has(name)
    if (rules === undefined && !isCustom)
      throw new Error(
        `The service '${path}' needs the schema for '${name}' that its resource() has made: leave it in the option \`schema\`, or close the method by resource(schema, { methods: { ${name}: false } })`
      )
    const place = isCustom ? `methods.${name}.` : ''
    const parts = [
      [body, rules?.body?.document, isCustom ? `${place}body` : name],
      [querystring, rules?.querystring, `${place}query`],
      [response, rules?.response, `${place}response`]
    ]
    // A method that the resource does not declare may have a body of its own.
    const replaced = (rules === undefined ? parts.slice(2) : parts).find(([part, own]) => part !== own)
    if (replaced !== undefined)
      throw new Error(
        `The service '${path}' replaces the schema of resource() for '${name}': give it to resource() as the option \`${replaced[2]}\``
      )
  }
}

const requestParts: readonly string[] = ['body', 'querystring', 'params', 'headers', 'response']

/**
 * @throws when a part of a request is misspelt: nothing would be validated by it. Other names are
 * left to plugins
 */
function checkParts(methodSchema: FastifySchema, who: string): void {
  for (const [name, part] of Object.entries<unknown>({ ...methodSchema })) {
    const hint = requestParts.includes(name) || !kinds.settings[1](part) ? '' : hintFor(name, requestParts)
    if (hint !== '') throw new Error(`${who} has no part '${name}'${hint}`)
  }
}

/** @throws when an option of a service is not known, or of another type */
export function checkServiceOptions(options: ServiceOptions, path: string): void {
  const who = `the service '${path}'`
  if (isRecordSchema(Object(options).schema)) throw recordSchemaError(path)
  checkOptions(who, serviceOptions, options)
  const schemas = Object.entries<FastifySchema | undefined>({ ...options.schema })
  for (const [name, methodSchema] of schemas) {
    if (isSchemaItself(methodSchema) && isApplicator(name)) throw recordSchemaError(path)
    if (isSchemaItself(methodSchema))
      throw new TypeError(
        `The option \`schema.${name}\` of ${who} must have the parts of a request, as in { body: schema }, got a schema itself. For all methods of a record there is { schema: resource(schema) }`
      )
    checkOptions(who, { [name]: object }, { [name]: methodSchema }, 'schema.')
    if (methodSchema === undefined) continue
    checkOptions(who, { response: schemaKind }, { response: methodSchema.response }, `schema.${name}.`)
    checkParts(methodSchema, `The option \`schema.${name}\` of ${who}`)
  }
}
