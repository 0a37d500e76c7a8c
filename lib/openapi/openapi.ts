import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { documentationOf, markOf } from '../core/description.js'
import { inspectText } from '../core/options.js'
import { ComponentNames } from './components.js'
import { completeDocument, Descriptions, isShown, postpone } from './document.js'
import { bearer } from './security.js'

const noServices =
  'The OpenAPI document shows no service: @fastify/swagger knows the routes that come after it. Register it before the services, with `await`.'

type Swagger = FastifyDynamicSwaggerOptions
type OpenAPIObject = NonNullable<Swagger['openapi']>

/** The parts of the document that services don't describe, such as `info`. */
export type DocumentOptions = Omit<OpenAPIObject, 'openapi' | 'info'> & {
  info: NonNullable<OpenAPIObject['info']>
  /**
   * The version of OpenAPI. `'3.2.0'` also shows QUERY, and the events and lines of streams; few
   * tools read it yet. Default `'3.1.0'`.
   */
  openapi?: '3.1.0' | '3.2.0'
}

/** Further options of `@fastify/swagger`. `transform` is called for routes without a service. */
export type SwaggerOptions = Omit<Swagger, 'openapi' | 'swagger' | 'mode'>

/**
 * Creates options for `@fastify/swagger` that add each method of a service to its document, with
 * parameters, bodies, results and errors. Other routes are shown as that plugin shows them.
 *
 * @param document `info`, `servers`, `tags` and other parts that services don't describe
 * @param options further options of `@fastify/swagger`
 * @throws if `document.openapi` is another version
 * @example
 * await app.register(swagger, openapi({ info: { title: 'Blog', version: '1.0.0' } }))
 * await app.register(services)
 * app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
 */
export function openapi(document: DocumentOptions, options: SwaggerOptions = {}): FastifyDynamicSwaggerOptions {
  const { components, security, openapi: version = '3.1.0', ...described } = document
  if (!['3.1.0', '3.2.0'].includes(version))
    throw new Error(`The option \`openapi\` of openapi() must be '3.1.0' or '3.2.0', got ${inspectText(version)}`)
  const names = new ComponentNames()
  return {
    // Keeps constants, which OpenAPI 3.1 has; the plugin would make lists of them.
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: ({ $id }) => names.add(String($id))
    },
    ...options,
    openapi: {
      servers: [{ url: '/' }],
      ...described,
      // Routes of the application may name `Bearer`, too.
      components: { ...components, securitySchemes: { Bearer: bearer, ...components?.securitySchemes } },
      openapi: version
    } as OpenAPIObject,
    ...createTransforms(options, { names, security, version })
  }
}

interface TransformSettings {
  readonly names: ComponentNames
  readonly security: OpenAPIObject['security']
  readonly version: string
}

/** Creates the functions that transform routes, and then the whole document. */
function createTransforms(
  { transform, transformObject }: SwaggerOptions,
  { names, security, version }: TransformSettings
): Required<Pick<Swagger, 'transform' | 'transformObject'>> {
  let descriptions = new Descriptions()
  let hasServices = false
  return {
    transform(route) {
      const { url } = route
      const documentation = documentationOf(route.route)
      if (documentation !== undefined)
        return { schema: postpone(documentation.schema, { schemes: documentation.security }), url }
      const mark = markOf(route.route)
      if (mark !== undefined) {
        hasServices = true
        const isVisible = route.route.method !== 'HEAD' && isShown(mark, descriptions.of(mark.entry), version)
        return { schema: isVisible ? postpone({}, { mark }) : { hide: true }, url }
      }
      const transformed = transform?.(route) ?? { schema: route.schema, url }
      const { security } = Object(transformed.schema)
      return security === undefined
        ? transformed
        : { ...transformed, schema: postpone(transformed.schema, { requirements: security }) }
    },
    transformObject(source) {
      const { openapiObject } = source as { openapiObject: OpenAPIObject }
      if (!hasServices) process.emitWarning(noServices)
      hasServices = true
      completeDocument(openapiObject, descriptions, names, security)
      descriptions = new Descriptions()
      return transformObject?.(source) ?? openapiObject
    }
  }
}
