import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, Forbidden, MethodNotAllowed, toServiceError } from '../core/errors.js'
import { isObject } from '../core/objects.js'
import { joinPath } from '../core/path.js'
import { ownPluginState, rootOf, serviceHostOf } from '../core/plugin-state.js'
import { loginChallenge, serveMetadata } from './authorization.js'
import { markCalls } from './call.js'
import { type AgentEndpoint, AgentExchange, createAgentEndpoint } from './exchange.js'
import { checkMcpOptions, type McpOptions } from './options.js'
import { createTools } from './tool.js'

/**
 * Offers methods of services to agents as tools of the Model Context Protocol, at `POST /mcp`. Each
 * call goes through the route of its service with the credentials of the caller.
 *
 * @throws {Error} if an option is unknown or invalid; when the server starts, if a service or method
 * does not exist, or can't be a tool
 * @example
 * await app.register(services)
 * app.service('books', memory(), { schema: resource(book) })
 * await app.register(mcp, { services: ['books', 'books.remove'] })
 */
export async function mcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  checkMcpOptions(options)
  if (!app.hasDecorator('service'))
    throw new Error('fastify-services/mcp needs fastify-services: register that plugin first')
  const { authorization } = options
  const metadata = authorization && serveMetadata(app, authorization)
  let endpoint: AgentEndpoint | undefined
  app.addHook('onReady', async () => {
    const tools = createTools(app, options)
    markCalls(tools, serviceHostOf(app).entries)
    endpoint = createAgentEndpoint(app, tools, options)
  })
  const url = `/${joinPath(options.path ?? 'mcp')}`
  // For documents, and so for the explorer.
  ownPluginState(rootOf(app)).mcpPath = `/${joinPath(app.prefix, url)}`
  app.setErrorHandler(serviceHostOf(app).answerError as Parameters<FastifyInstance['setErrorHandler']>[0])
  app.route({
    method: ['GET', 'DELETE'],
    url,
    exposeHeadRoute: false,
    schema: { hide: true },
    handler(_request, reply) {
      reply.header('allow', 'POST')
      throw new MethodNotAllowed('Agents send POST to this address')
    }
  })
  app.post(url, {
    schema: { hide: true },
    onRequest: async (request) => checkOrigin(request, options.origins),
    async handler(request: FastifyRequest, reply: FastifyReply) {
      if (!isObject(request.body)) throw new BadRequest('Send one message of JSON-RPC as a JSON object')
      const exchange = new AgentExchange(endpoint as AgentEndpoint, request, reply)
      try {
        const { status, headers, body } = await exchange.answer(request.body)
        // Hooks of the application read and change a text, as they do that of other routes.
        return reply.code(status).headers(headers).send(body)
      } catch (error) {
        if (authorization !== undefined && metadata !== undefined && toServiceError(error).code === 401)
          reply.header('www-authenticate', loginChallenge(error, metadata, authorization))
        throw error
      }
    }
  })
}

/**
 * Refuses requests of unknown pages: a page may lead its own name to the address of this server.
 *
 * @throws {Forbidden} if the page is not in the option `origins`
 */
function checkOrigin({ headers: { origin } }: FastifyRequest, origins: readonly string[] = []): void {
  if (origin !== undefined && !origins.includes(origin))
    throw new Forbidden(`Pages of this origin can't call here: add it to the option \`origins\` of mcp`)
}
