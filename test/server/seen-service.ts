import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services from 'fastify-services'

/** What a service was called with. */
export const seen: unknown[] = []
export const keep = async (...args: unknown[]) => {
  seen.push(args.slice(0, -1))
  return null
}
export const names = ['create', 'update', 'patch', 'publish']

/** An application with such a service, after what the host does before and after the plugin. */
export async function create(
  object: object,
  schema: unknown,
  host: (app: FastifyInstance) => unknown = Boolean,
  before: (app: FastifyInstance) => unknown = Boolean
): Promise<FastifyInstance> {
  const app = Fastify()
  await before(app)
  await app.register(services, { errorHandler: { html: false, logger: false } })
  await host(app)
  const options: object = { methods: Object.keys(object), schema }
  app.service('in', object, options)
  return app
}

/** The status, and what the service was called with, or else the error. */
export async function ask(app: FastifyInstance, request: InjectOptions) {
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/in', ...request })
  if (body === '') return [statusCode, ...seen.splice(0)]
  const { name: _name, code: _code, className: _className, message, ...rest } = JSON.parse(body)
  return [statusCode, message, ...(Object.keys(rest).length === 0 ? [] : [rest])]
}
