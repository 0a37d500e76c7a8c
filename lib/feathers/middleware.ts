import type { FastifyInstance } from 'fastify'
import { rootOf } from '../core/host.js'
import { restFormatter, servicesWithFormatter } from './formatter.js'
import type { Ignored } from './ignored.js'
import { type FeathersService, isOAuth, type Mounted, optionsOf } from './mounted.js'
import { type Layer, meetsService, nameOf, stackOf } from './stack.js'

/**
 * The middleware of an application that its framework has not brought, and what is missed of the
 * rest.
 */
export interface Sorted {
  readonly unknown: readonly Layer[]
  /** The middleware of `unknown` that requests for services get to. */
  readonly around: readonly Layer[]
  /** The plugins of Fastify that do what is missed. */
  readonly missed: readonly string[]
  /** The services whose answers a formatter of the application makes. */
  readonly formatted: ReadonlySet<FeathersService>
}

/** What there is of an application without middleware. */
export const noMiddleware: Sorted = { unknown: [], around: [], missed: [], formatted: new Set() }

/**
 * Looks for the middleware of an application, which does not run on Fastify. What its framework
 * brings is replaced here, or logged.
 * @throws when there is other middleware: it may be what guards the application
 */
export async function checkMiddleware(application: Mounted, ignored: Ignored, fastify: FastifyInstance): Promise<void> {
  if (ignored.isAll) return
  const sorted = await sortMiddleware(application)
  checkIgnored(application, ignored, sorted)
  const { unknown, missed } = sorted
  const names = ignored
    .without([...unknown, ...ofServices(application), ...formatterIn(sorted)])
    .map(({ name }) => name)
  if (names.length > 0)
    throw new Error(
      `The Feathers application has middleware, which does not run on Fastify: ${names.join(', ')}. Let the application answer what needs it, by the option \`fallback\`; or make hooks of Fastify or of services of it, then name it in the option \`ignoreMiddleware\``
    )
  warnOfMissed(missed, fastify)
}

/** @throws when what is to be ignored is not there */
export function checkIgnored(application: Mounted, ignored: Ignored, sorted: Sorted): void {
  const others = [...ofServices(application), ...formatterIn(sorted)]
  ignored.check([...stackOf(application), ...others], [...sorted.unknown, ...others])
}

/** The formatter of an application, which is a concern as its middleware is. */
const formatterIn = ({ formatted }: Sorted) => (formatted.size > 0 ? [restFormatter] : [])

/** Says which plugins of Fastify to use, unless they are there. */
export function warnOfMissed(missed: readonly string[], fastify: FastifyInstance): void {
  const absent = missed.filter((name) => !fastify.hasPlugin(name) && !rootOf(fastify).hasPlugin(name))
  if (absent.length > 0)
    fastify.log.warn(
      `The Feathers application has middleware that does not run on Fastify. Use ${absent.join(' and ')} instead`
    )
}

/** A middleware that a service has for itself. */
interface OfService {
  readonly handle: unknown
  /** What to call it in a message that does not name the service. */
  readonly short: string
  readonly name: string
}

/** The middleware that a service has for itself. */
function middlewareOf(service: FeathersService, path: string): OfService[] {
  const { koa, express } = optionsOf(service)
  const lists = { 'koa.before': koa?.before, 'koa.after': koa?.after }
  const all = Object.entries({ ...lists, 'express.before': express?.before, 'express.after': express?.after })
  return all.flatMap(([list, functions]) =>
    [functions ?? []].flat().map((handle, index) => {
      const short = nameOf(handle, `number ${index + 1} of ${list}`)
      return { handle, short, name: `${short} of the service '${path}'` }
    })
  )
}

const ofServices = (application: Mounted): OfService[] =>
  Object.entries(application.services).flatMap(([path, service]) =>
    isOAuth(service) ? [] : middlewareOf(service, path)
  )

/** Sorts the middleware of an application: what its framework brings is known by its code. */
export async function sortMiddleware(application: Mounted): Promise<Sorted> {
  const stack = stackOf(application)
  if (stack.length === 0) return noMiddleware
  const brought = await broughtTo(application)
  const texts = brought.replaced.map(String)
  const plugins = new Map(brought.missed.map(([middleware, plugin]) => [String(middleware), plugin]))
  const counts = new Map<string, number>()
  const missed = new Set<string>()
  const unknown = stack.filter(({ handle }) => {
    const text = String(handle)
    const plugin = plugins.get(text)
    if (plugin !== undefined) missed.add(plugin)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    const repeated = texts.filter((other) => other === text).length
    // Where several functions have one text, further ones may be other functions: a guard of
    // Express for example.
    return plugin === undefined && (repeated === 0 || (repeated > 1 && count > repeated))
  })
  // Of several with this text the last one: what stands before it may be before the services.
  const services = stack.findLastIndex(({ handle }) => String(handle) === String(brought.services))
  const end = services === -1 ? stack.length : services
  // Express sends errors of services to functions of four parameters, wherever they stand. A twin
  // of the known may be anywhere.
  const isAround = (layer: Layer) =>
    stack.indexOf(layer) < end || texts.includes(String(layer.handle)) || Object(layer.handle).length === 4
  const formatted = await servicesWithFormatter(application)
  return { unknown, around: unknown.filter(isAround), missed: [...missed], formatted }
}

/**
 * Why a service is answered by the framework of its application alone: the names of the middleware
 * that only runs there.
 */
export const reasonsFor = (
  service: FeathersService,
  path: string,
  { around }: Sorted,
  ignored: Ignored
): readonly string[] => [
  ...ignored.without(middlewareOf(service, path)).map(({ short }) => short),
  ...ignored.without(around.filter((layer) => meetsService(layer, path))).map(({ name }) => name)
]

/**
 * The middleware that a framework brings to applications, as new functions: they are known by their
 * code.
 */
export interface Brought {
  /** What Fastify and fastify-services do. */
  readonly replaced: readonly unknown[]
  /** The one of these that calls the services. */
  readonly services: unknown
  /** What is missed until a plugin of Fastify does it, with the name of that plugin. */
  readonly missed: readonly (readonly [middleware: unknown, plugin: string])[]
}

/** What the framework of an application brings. It is loaded here, where it is there already. */
export async function broughtTo({ middleware }: Mounted): Promise<Brought> {
  const { feathers } = await import('@feathersjs/feathers')
  return middleware === undefined ? ofExpress(feathers()) : ofKoa(feathers())
}

type Bare = ReturnType<typeof import('@feathersjs/feathers').feathers>

async function ofKoa(bare: Bare): Promise<Brought> {
  const { bodyParser, cors, errorHandler, koa, rest, serveStatic } = await import('@feathersjs/koa')
  const app = koa(bare)
  app.use(errorHandler())
  app.use(bodyParser())
  rest()(app as never)
  const missed = [
    [cors(), '@fastify/cors'],
    [serveStatic('.'), '@fastify/static']
  ] as const
  return { replaced: app.middleware, services: app.middleware.at(-1), missed }
}

async function ofExpress(bare: Bare): Promise<Brought> {
  const {
    compression,
    cors,
    default: express,
    errorHandler,
    json,
    notFound,
    rest,
    serveStatic,
    urlencoded
  } = (await import('@feathersjs/express')).default
  const app = express(bare)
  app.use(json())
  app.use(urlencoded({ extended: true }))
  rest()(app as never)
  const services = handlesOf(app).at(-1)
  app.use(notFound())
  app.use(errorHandler())
  const missed = [
    [cors(), '@fastify/cors'],
    [compression(), '@fastify/compress'],
    [serveStatic('.'), '@fastify/static']
  ] as const
  return { replaced: handlesOf(app), services, missed }
}

const handlesOf = (app: object): readonly unknown[] =>
  (app as Mounted)._router?.stack.map(({ handle }) => handle) as unknown[]
