import type { FastifyInstance } from 'fastify'
import { sourceText } from '../compat/source-text.js'
import { rootOf } from '../core/plugin-state.js'
import { hasFormatter, restFormatter } from './formatter.js'
import type { IgnoreList } from './ignore-middleware.js'
import { type FeathersService, isOAuth, type MountedApplication, serviceOptions } from './mounted.js'
import { type Layer, layersOf, middlewareName } from './stack.js'

/** The middleware of an application, sorted by what it means for Fastify. */
export interface SortedMiddleware {
  readonly all: readonly Layer[]
  /** Middleware that is not of the framework. */
  readonly unknown: readonly Layer[]
  /** The middleware of `unknown` that requests for services get to. */
  readonly aroundServices: readonly Layer[]
  /** The plugins of Fastify that do the same as middleware of the application. */
  readonly replacements: readonly string[]
  /** The formatter of `rest(formatter)`, as if it were middleware. */
  readonly formatter: readonly Layer[]
}

export const noMiddleware: SortedMiddleware = {
  all: [],
  unknown: [],
  aroundServices: [],
  replacements: [],
  formatter: []
}

/**
 * Checks the middleware of an application, which does not run on Fastify. Middleware of its
 * framework is replaced here, or a plugin of Fastify is recommended.
 * @throws if there is other middleware: it may be the guard of the application
 */
export async function checkMiddleware(
  application: MountedApplication,
  ignoreList: IgnoreList,
  fastify: FastifyInstance
): Promise<void> {
  if (ignoreList.isAll) return
  const sorted = await sortMiddleware(application)
  checkIgnoreList(application, ignoreList, sorted)
  const unsupported = [...sorted.unknown, ...middlewareOfServices(application), ...sorted.formatter]
  const names = ignoreList.remaining(unsupported).map(({ name }) => name)
  if (names.length > 0)
    throw new Error(
      `The Feathers application has middleware, which does not run on Fastify: ${names.join(', ')}. Let the application answer what needs it, by the option \`fallback\`; or make hooks of Fastify or of services of it, then name it in the option \`ignoreMiddleware\``
    )
  warnOfReplacements(sorted.replacements, fastify)
}

/** @throws if the list names middleware that does not exist */
export function checkIgnoreList(
  application: MountedApplication,
  ignoreList: IgnoreList,
  sorted: SortedMiddleware
): void {
  const further = [...middlewareOfServices(application), ...sorted.formatter]
  ignoreList.check([...sorted.all, ...further], [...sorted.unknown, ...further])
}

export function warnOfReplacements(plugins: readonly string[], fastify: FastifyInstance): void {
  const absent = plugins.filter((name) => !fastify.hasPlugin(name) && !rootOf(fastify).hasPlugin(name))
  if (absent.length > 0)
    fastify.log.warn(
      `The Feathers application has middleware that does not run on Fastify. Use ${absent.join(' and ')} instead`
    )
}

interface ServiceMiddleware {
  readonly handle: unknown
  /** Its name in messages that name the service already. */
  readonly shortName: string
  readonly name: string
}

function middlewareOf(service: FeathersService, path: string): ServiceMiddleware[] {
  const { koa, express } = serviceOptions(service)
  const lists = { 'koa.before': koa?.before, 'koa.after': koa?.after }
  const all = Object.entries({ ...lists, 'express.before': express?.before, 'express.after': express?.after })
  return all.flatMap(([list, functions]) =>
    [functions ?? []].flat().map((handle, index) => {
      const shortName = middlewareName(handle, `number ${index + 1} of ${list}`)
      return { handle, shortName, name: `${shortName} of the service '${path}'` }
    })
  )
}

const middlewareOfServices = (application: MountedApplication): ServiceMiddleware[] =>
  Object.entries(application.services).flatMap(([path, service]) =>
    isOAuth(service) ? [] : middlewareOf(service, path)
  )

/**
 * Sorts the middleware of an application. Middleware of its framework is known by its source text.
 */
export async function sortMiddleware(application: MountedApplication): Promise<SortedMiddleware> {
  const all = layersOf(application)
  if (all.length === 0) return noMiddleware
  const framework = await frameworkMiddleware(application)
  const replaced = framework.replaced.map(sourceText)
  const pluginByText = new Map(framework.replaceable.map(([middleware, plugin]) => [sourceText(middleware), plugin]))
  const counts = new Map<string, number>()
  const replacements = new Set<string>()
  const unknown = all.filter(({ handle }) => {
    const text = sourceText(handle)
    const plugin = pluginByText.get(text)
    if (plugin !== undefined) replacements.add(plugin)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    const knownCount = replaced.filter((other) => other === text).length
    // If the framework has several functions with one text, further ones may be other functions: a
    // guard of Express for example.
    return plugin === undefined && (knownCount === 0 || (knownCount > 1 && count > knownCount))
  })
  // The last one with this text: middleware before it may run before the services.
  const servicesText = sourceText(framework.services)
  const services = all.findLastIndex(({ handle }) => sourceText(handle) === servicesText)
  const end = services === -1 ? all.length : services
  // Express sends errors of services to functions of four parameters, wherever they are. A function
  // with the text of a known one may be anywhere.
  const isAround = (layer: Layer) =>
    all.indexOf(layer) < end || replaced.includes(sourceText(layer.handle)) || Object(layer.handle).length === 4
  const formatter = (await hasFormatter(application)) ? [restFormatter] : []
  return { all, unknown, aroundServices: unknown.filter(isAround), replacements: [...replacements], formatter }
}

/** Returns the names of the middleware for which the framework must answer a service. */
export const reasonsFor = (
  service: FeathersService,
  path: string,
  { formatter, aroundServices }: SortedMiddleware,
  ignoreList: IgnoreList
): readonly string[] => [
  ...ignoreList.remaining(formatter).map(({ name }) => name),
  ...ignoreList.remaining(middlewareOf(service, path)).map(({ shortName }) => shortName),
  ...ignoreList.remaining(aroundServices).map(({ name }) => name)
]

/** New copies of the middleware that comes with a framework. */
interface FrameworkMiddleware {
  /** Middleware whose work Fastify and fastify-services do. */
  readonly replaced: readonly unknown[]
  /** The middleware of `replaced` that calls the services. */
  readonly services: unknown
  /** Middleware that a plugin of Fastify can replace, with the name of that plugin. */
  readonly replaceable: readonly (readonly [middleware: unknown, plugin: string])[]
}

async function frameworkMiddleware({ middleware }: MountedApplication): Promise<FrameworkMiddleware> {
  const { feathers } = await import('@feathersjs/feathers')
  return middleware === undefined ? expressMiddleware(feathers()) : koaMiddleware(feathers())
}

type Bare = ReturnType<typeof import('@feathersjs/feathers').feathers>

async function koaMiddleware(bare: Bare): Promise<FrameworkMiddleware> {
  const { bodyParser, cors, errorHandler, koa, rest, serveStatic } = await import('@feathersjs/koa')
  const app = koa(bare)
  app.use(errorHandler())
  app.use(bodyParser())
  rest()(app as never)
  const replaceable = [
    [cors(), '@fastify/cors'],
    [serveStatic('.'), '@fastify/static']
  ] as const
  return { replaced: app.middleware, services: app.middleware.at(-1), replaceable }
}

async function expressMiddleware(bare: Bare): Promise<FrameworkMiddleware> {
  const { default: framework } = await import('@feathersjs/express')
  const { compression, cors, default: express, errorHandler, json, notFound, rest, serveStatic, urlencoded } = framework
  const app = express(bare)
  app.use(json())
  app.use(urlencoded({ extended: true }))
  rest()(app as never)
  const services = handlesOf(app).at(-1)
  app.use(notFound())
  app.use(errorHandler())
  const replaceable = [
    [cors(), '@fastify/cors'],
    [compression(), '@fastify/compress'],
    [serveStatic('.'), '@fastify/static']
  ] as const
  return { replaced: handlesOf(app), services, replaceable }
}

const handlesOf = (app: object): readonly unknown[] =>
  (app as Required<MountedApplication>)._router.stack.map(({ handle }) => handle)
