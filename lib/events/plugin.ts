import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { describe, type RouteDocumentation, withDocumentation } from '../core/description.js'
import { serviceHostOf } from '../core/host.js'
import { withoutRegister } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { metaOf } from '../core/service-meta.js'
import { Channel } from './channel.js'
import { streamSchema, summary } from './documentation.js'
import { Door } from './door.js'
import { listenTo } from './listening.js'
import { checkEventsOptions, doorName, type EventsOptions, type ServiceEvents } from './options.js'
import { listAt, listsIn } from './requests.js'

/** What an application has of its streams. */
export interface Events {
  /** How many streams are open. */
  readonly streams: number
  /**
   * Whether the log can be reached; `false` while events wait for it, and come late. The log in
   * memory always is. For `/health`.
   */
  readonly isLogReachable: boolean
  /**
   * Asks again which records a user may see: call it when a role or a membership has changed. Until
   * it is done, lists of that user get no ids.
   * @param user the user, or the id
   * @example
   * await app.events.recheck(member.userId)
   */
  recheck(user: unknown): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The streams of `fastify-services/events`. */
    events: Events
  }
}

async function events(app: FastifyInstance, options: EventsOptions): Promise<void> {
  const advice = { registers: 'this one', call: 'await child.register(events, options)' }
  checkEventsOptions(withoutRegister(doorName, options, advice, app.log))
  if (!app.hasDecorator('service')) throw new Error(`${doorName} needs fastify-services: register that plugin first`)
  if (app.hasDecorator('events'))
    throw new Error(
      `${doorName} is registered here already: name all services in one registration. Or something else has taken the decorator \`events\`, which it needs`
    )
  const url = `/${joinPath(options.path ?? 'events')}`
  const door = new Door(app, joinPath(app.prefix, url), options)
  const host = serviceHostOf(app)
  app.decorate('events', {
    get streams() {
      return door.watch.streams.size
    },
    get isLogReachable() {
      return !door.intake.isLogAway
    },
    recheck: (user: unknown) => door.watch.recheck(user)
  })
  app.addHook('onReady', async () => {
    for (const [path, setting] of Object.entries(options.services)) if (setting !== false) addService(path, setting)
    await door.openLog()
  })
  app.addHook('preClose', async () => door.endStreams())
  app.addHook('onClose', () => door.close())

  const openStream = (request: FastifyRequest, reply: FastifyReply) =>
    door.open(request, reply, listsIn(request, door.limits))
  // Spans of `@fastify/otel` have the name of the handler.
  const handler = Object.defineProperty(openStream, 'name', { value: `${door.path}.stream` })
  app.register(async (child) => {
    child.setErrorHandler(host.answerError as Parameters<FastifyInstance['setErrorHandler']>[0])
    const route = {
      url,
      exposeHeadRoute: false,
      bodyLimit: door.limits.request,
      onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
        host.endWithConnection(request as never, reply as never),
      handler
    }
    const documented = withDocumentation(route, () => ({
      schema: streamSchema,
      security: securityOfLists(door.channels)
    }))
    child.route({ ...documented, method: 'GET', schema: summary })
    const hasQuery = METHODS.includes('QUERY') && app.supportedMethods.includes('QUERY')
    if (hasQuery) child.route({ ...route, method: 'QUERY', schema: { hide: true } })
  })

  function addService(path: string, setting: true | ServiceEvents): void {
    const entry = host.entryAt(joinPath(app.prefix, path)) ?? host.entryAt(joinPath(path))
    if (entry === undefined) {
      const paths = host.entries.map((candidate) => `'${candidate.path}'`).join(', ') || 'none'
      throw new Error(`${doorName} is to tell of '${path}', which is no service. Registered: ${paths}`)
    }
    const channel = new Channel(entry, setting === true ? {} : setting)
    listenTo(channel, door.isWanted, door.intake)
    if (options.durable === true) metaOf(entry.service).awaitAfter = (context) => door.intake.awaitEvents(context)
    door.add(channel)
    entry.listen = (request, reply) =>
      door.open(request as FastifyRequest, reply as FastifyReply, [listAt(request as FastifyRequest, door.limits)])
    if (channel.doubt !== undefined)
      app.log.warn(
        `Subscribers of '${entry.path}' are told that something may have changed, and not what: ${channel.doubt}. If nothing but the query that hooks make decides who sees what, say { rule: 'hooks' }`
      )
  }
}

/**
 * The credentials that any of the lists takes; none need be sent where one of them takes all
 * callers.
 */
function securityOfLists(channels: readonly Channel[]): RouteDocumentation['security'] {
  const finds = channels.flatMap(({ entry }) => describe(entry).methods.filter(({ name }) => name === 'find'))
  return finds.flatMap(({ security }) => (security.length === 0 ? [{}] : security))
}

/**
 * The plugin: what changes in services, to browsers and other clients as server-sent events
 * (docs/events.md). Who may `find` a record hears of it. Register it after `fastify-services`.
 *
 * @throws when an option can't be used; when the server starts, if a service is not there or has no
 * `find`
 * @example
 * await app.register(services)
 * await app.register(events, { services: { notes: true, 'rooms/:roomId/messages': { records: true } } })
 */
export default plugin(events, { fastify: '5.x', name: doorName })
