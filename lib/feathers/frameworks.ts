import type { Mounted } from './mounted.js'

/** The middleware that a framework brings to applications, as new functions: they are known by their code. */
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
