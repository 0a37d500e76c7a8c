import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Id } from '../../types/service.js'
import { describe, type RouteDocumentation, withDocumentation } from '../core/description.js'
import { inspect, withoutRegister } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import { metaOf } from '../core/service-meta.js'
import { userKey } from './callers.js'
import { captureEvents } from './capture.js'
import { streamRoute, streamSchema } from './documentation.js'
import { listRequestOfUrl, readListRequests } from './list-request.js'
import { checkEventsOptions, type EventsOptions, pluginName, type ServiceEvents } from './options.js'
import { EventServer } from './server.js'
import { Topic } from './topic.js'
import { recheckChangedUsers } from './user-changes.js'

/** The decorator `app.events`. */
export interface Events {
  /** How many streams are open. */
  readonly streams: number
  /**
   * Whether the event log can be reached, for `/health`. `false`: events wait for it, and come
   * late. The log in memory is always there.
   */
  readonly isLogReachable: boolean
  /**
   * Asks again which records a user may see, in all processes that share the log. Call it when
   * something has changed that is not in the record of the user, such as a membership. Until it is
   * done, the lists of that user get no ids.
   *
   * @param user the id, or a record that has it as `id` or `_id`
   * @throws {TypeError} if there is no id
   * @example
   * await app.events.recheck(member.userId)
   */
  recheck(user: Id | object): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The streams of `fastify-services/events`. */
    events: Events
  }
}

async function events(app: FastifyInstance, options: EventsOptions): Promise<void> {
  const advice = { registers: 'this one', call: 'await child.register(events, options)' }
  checkEventsOptions(withoutRegister(pluginName, options, advice, app.log))
  if (!app.hasDecorator('service')) throw new Error(`${pluginName} needs fastify-services: register that plugin first`)
  if (app.hasDecorator('events'))
    throw new Error(
      `${pluginName} is registered here already: name all services in one registration. Or something else has taken the decorator \`events\`, which it needs`
    )
  const url = `/${joinPath(options.path ?? 'events')}`
  const server = new EventServer(app, joinPath(app.prefix, url), options)
  const host = serviceHostOf(app)
  app.decorate('events', {
    get streams() {
      return server.streams.size
    },
    get isLogReachable() {
      return !server.callEvents.isLogAway
    },
    async recheck(user: Id | object) {
      const key = userKey(user)
      if (key === undefined) throw new TypeError(`recheck needs a user with an id, or the id, got ${inspect(user)}`)
      await server.recheck([key])
    }
  })
  app.addHook('onReady', async () => {
    for (const [path, setting] of Object.entries(options.services))
      if (setting !== false) publishService(app, host, server, path, setting === true ? {} : setting, options)
    await server.openLog()
  })
  app.addHook('preClose', async () => server.endStreams())
  app.addHook('onClose', () => server.close())
  // Its hook for `onClose` runs before the one above, which closes the log.
  recheckChangedUsers(app, server)
  registerRoute(app, host, server, url)
}

/** Registers the route of streams in a context of its own, for the error handler. */
function registerRoute(app: FastifyInstance, host: ServiceHost, server: EventServer, url: string): void {
  const openStream = (request: FastifyRequest, reply: FastifyReply) =>
    server.open(request, reply, readListRequests(request, server.limits))
  // `@fastify/otel` names spans after the handler.
  const handler = Object.defineProperty(openStream, 'name', { value: `${server.path}.stream` })
  app.register(async (child) => {
    child.setErrorHandler(host.answerError as Parameters<FastifyInstance['setErrorHandler']>[0])
    const route = {
      url,
      exposeHeadRoute: false,
      bodyLimit: server.limits.request,
      onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
        host.endWithConnection(request as never, reply as never),
      handler
    }
    const documented = withDocumentation(route, () => ({
      schema: streamSchema,
      security: securityOf(server.topics)
    }))
    child.route({ ...documented, method: 'GET', schema: streamRoute })
    const hasQuery = METHODS.includes('QUERY') && app.supportedMethods.includes('QUERY')
    if (hasQuery) child.route({ ...route, method: 'QUERY', schema: { hide: true } })
  })
}

function publishService(
  app: FastifyInstance,
  host: ServiceHost,
  server: EventServer,
  path: string,
  settings: ServiceEvents,
  { durable }: EventsOptions
): void {
  const entry = host.find(app.prefix, path)
  if (entry === undefined) {
    const paths = host.entries.map((candidate) => `'${candidate.path}'`).join(', ') || 'none'
    throw new Error(
      `The option \`services\` of ${pluginName} has '${path}', but there is no such service. Registered: ${paths}`
    )
  }
  const topic = new Topic(entry, settings)
  captureEvents(topic, server.callEvents)
  if (durable === true) metaOf(entry.service).awaitAfter = (context) => server.callEvents.awaitEvents(context)
  server.add(topic)
  entry.listen = (request, reply) => {
    const list = listRequestOfUrl(request as FastifyRequest, server.limits)
    return server.open(request as FastifyRequest, reply as FastifyReply, [list])
  }
  if (topic.reasonToRefetch !== undefined)
    app.log.warn(
      `Subscribers of '${entry.path}' only learn that something may have changed, because ${topic.reasonToRefetch}. If the query that hooks make decides alone who sees what, set { rule: 'hooks' }`
    )
}

/**
 * Returns the credentials that any of the lists accepts, for the document. They are optional if one
 * list accepts all callers.
 */
function securityOf(topics: readonly Topic[]): RouteDocumentation['security'] {
  const finds = topics.flatMap(({ entry }) => describe(entry).methods.filter(({ name }) => name === 'find'))
  return finds.flatMap(({ security }) => (security.length === 0 ? [{}] : security))
}

/**
 * The plugin: sends changes of services to browsers and other clients as server-sent events
 * (docs/events.md). A client hears of the records that its `find` would show. Register it after
 * `fastify-services`.
 *
 * @throws {Error} if an option is invalid, or, when the server starts, if a service does not exist
 * or has no `find`
 * @example
 * await app.register(services)
 * const services = { notes: true, 'rooms/:roomId/messages': { records: true } }
 * await app.register(events, { services })
 */
export default plugin(events, { fastify: '5.x', name: pluginName })
