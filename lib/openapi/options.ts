import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { documentationOf } from '../core/description.js'
import { ComponentNames } from './components.js'
import { completeDocument, placeholderOf } from './document.js'
import { bearer, postponeSecurity, type SecurityRequirements } from './security.js'

const noServices =
  'The OpenAPI document shows no service: @fastify/swagger knows the routes that come after it. Register it before the services, with `await`.'

type Swagger = FastifyDynamicSwaggerOptions
type Given = NonNullable<Swagger['openapi']>

/** The parts of the document that services do not say: `info` above all. The version is 3.1. */
export type DocumentOptions = Omit<Given, 'openapi' | 'info'> & { info: NonNullable<Given['info']> }

/** Further options of `@fastify/swagger`. Its `transform` is called for routes that are not those of services. */
export type SwaggerOptions = Omit<Swagger, 'openapi' | 'swagger' | 'mode'>

/**
 * The options of `@fastify/swagger` that make its document complete: each method of a service with its parameters, bodies, results and errors.
 * Other routes are as that plugin makes them.
 *
 * @param document what services do not say: `info`, `servers`, `tags`
 * @param options further options of `@fastify/swagger`
 * @example
 * await app.register(swagger, openapi({ info: { title: 'Blog', version: '1.0.0' } }))
 * await app.register(services)
 * app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
 */
export function openapi(document: DocumentOptions, options: SwaggerOptions = {}): FastifyDynamicSwaggerOptions {
  const { transform, transformObject } = options
  const { components, security, ...described } = document
  const securitySchemes = { Bearer: bearer, ...components?.securitySchemes }
  const isDeclared = (required: SecurityRequirements) =>
    required.every((set) => Object.keys(set).every((name) => Object.hasOwn(securitySchemes, name)))
  const names = new ComponentNames()
  let hasServices = false
  return {
    // Constants are of this version; the plugin would make lists of them.
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: ({ $id }) => names.add(String($id))
    },
    ...options,
    openapi: {
      servers: [{ url: '/' }],
      ...described,
      // Routes of the application may name it, too.
      components: { ...components, securitySchemes },
      ...(security !== undefined && isDeclared(security) && { security }),
      openapi: '3.1.0'
    } as Given,
    transform(route) {
      const documentation = documentationOf(route.route)
      if (documentation !== undefined) {
        const { schema, security } = documentation
        return { schema: postponeSecurity(schema, (schemes) => schemes.require(security)), url: route.url }
      }
      const schema = placeholderOf(route.route)
      if (schema === undefined) {
        const shown = transform?.(route) ?? { schema: route.schema, url: route.url }
        const { security } = Object(shown.schema)
        return security === undefined || isDeclared(security)
          ? shown
          : { ...shown, schema: postponeSecurity(shown.schema, () => security) }
      }
      hasServices = true
      return { schema, url: route.url }
    },
    transformObject(source) {
      const { openapiObject } = source as { openapiObject: Given }
      if (!hasServices) process.emitWarning(noServices)
      hasServices = true
      completeDocument(openapiObject, names, security)
      return transformObject?.(source) ?? openapiObject
    }
  }
}
