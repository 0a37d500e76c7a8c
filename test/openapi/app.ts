import swagger from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import type { Strategy } from 'fastify-services/authentication'
import { type DocumentOptions, openapi, type SwaggerOptions } from 'fastify-services/openapi'
import type { Test } from 'tap'

/** Any part of a document. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what it is
export type Part = any

export interface Given {
  readonly document?: Partial<DocumentOptions>
  readonly options?: SwaggerOptions
  readonly fastify?: object
  readonly plugin?: ServicesOptions
}

// One for all documents of a file: what takes its time is to compile the schema of OpenAPI.
const validator = new Validator()

/** The document of an application with the services that `add` registers. It is valid. */
export async function documentOf(
  t: Test,
  add: (app: FastifyInstance) => unknown,
  { document, options, fastify, plugin = {} }: Given = {}
): Promise<Part> {
  const app = Fastify({ ...fastify })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' }, ...document }, options))
  await app.register(services, plugin)
  await add(app)
  await app.ready()
  const made: Part = app.swagger()
  const { valid, errors } = await validator.validate(structuredClone(made))
  t.ok(valid, `it is a document of OpenAPI 3.1: ${JSON.stringify(errors)}`)
  return made
}

/** The operations of a document: `GET /posts` → its operation. */
export const operationsOf = (document: Part): Record<string, Part> =>
  Object.fromEntries(
    Object.entries(document.paths).flatMap(([url, item]) =>
      Object.entries(item as Part).map(([verb, operation]) => [`${verb.toUpperCase()} ${url}`, operation])
    )
  )

/** What a reference leads to. */
export const follow = (document: Part, { $ref }: { $ref: string }): Part =>
  $ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], document)

/** The parameters of an operation by name, with references followed. */
export const parametersOf = (document: Part, { parameters = [] }: Part): Record<string, Part> =>
  Object.fromEntries(
    parameters
      .map((parameter: Part) => (parameter.$ref === undefined ? parameter : follow(document, parameter)))
      .map((item: Part) => [item.name, item])
  )

/** A strategy that says how requests carry its credentials, and what logs in. */
export const apiKey: Strategy = {
  authenticate: () => ({}),
  parse: () => null,
  describe: () => ({
    security: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    login: { key: { type: 'string' } }
  })
}

/** A service with all of the six methods. */
export class All {
  readonly options: object

  constructor(options: object = {}) {
    this.options = options
  }
  async find(): Promise<unknown> {
    return []
  }
  async get(id: unknown): Promise<unknown> {
    return { id }
  }
  async create(data: unknown) {
    return data
  }
  async update(_id: unknown, data: unknown) {
    return data
  }
  async patch(_id: unknown, data: unknown) {
    return data
  }
  async remove(id: unknown): Promise<unknown> {
    return { id }
  }
  async publish(data: unknown) {
    return data
  }
  async archive(data: unknown) {
    return data
  }
}
